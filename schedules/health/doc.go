// Package health says what is wrong with a data directory and with the newest runs of its jobs, without a request. The
// verbs that check it, the probe of `fleetlake serve` and the page have their words from here.
package health

import "iter"

// JobMinCoverage stands for the minimum coverage of each job.
const JobMinCoverage = -1

// Setup is what is looked at.
type Setup struct {
	Dir     string
	Jobs    []Job // in the order of the configuration
	Exports bool  // what is published is exported
}

// Job is a job, and the percentage of its planned partitions below which a run counts as unanswered by the service.
type Job struct {
	Name        string
	MinCoverage int
}

// Problem is something that a person should look at.
type Problem struct {
	Kind  Kind
	Words string
	Title string // only for problems of the data directory
}

// jobs yields the names of the jobs, or the one that is named if there is such a job.
func (c Setup) jobs(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, j := range c.Jobs {
			if (name == "" || name == j.Name) && !yield(j.Name) {
				return
			}
		}
	}
}

// minCoverage is the minimum of a job; 0 for a job that the configuration has not.
func (c Setup) minCoverage(name string) int {
	for _, j := range c.Jobs {
		if j.Name == name {
			return j.MinCoverage
		}
	}
	return 0
}
