package transform

// managementRules are the columns of management, from the object of that name.
var managementRules = []rule{
	{"manager", []string{"manager"}, asText},
	{"manager_email", []string{"manageremail"}, asText},
	{"manager_address", []string{"manageraddress"}, asText},
	{"manager_website", []string{"managerwebsite"}, asText},
	{"registered_owner", []string{"registeredowner"}, asText},
	{"registered_owner_email", []string{"registeredowneremail"}, asText},
	{"registered_owner_address", []string{"registeredowneraddress"}, asText},
	{"registered_owner_website", []string{"registeredownerwebsite"}, asText},
	{"ism", []string{"ism"}, asText},
	{"ism_email", []string{"ismemail"}, asText},
	{"ism_address", []string{"ismaddress"}, asText},
	{"ism_website", []string{"ismwebsite"}, asText},
	{"ism_web", []string{"ismweb"}, asText},
	{"class_society", []string{"classificationsociety"}, asText},
	{"p_and_i", []string{"pi", "pandi"}, asText},
}
