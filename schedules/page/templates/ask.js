// Ctrl+Enter, or ⌘+Enter, in the statement runs it. The page works without this file.
const statement = document.getElementById('sql')
statement.addEventListener('keydown', event => {
	if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
		event.preventDefault()
		statement.form.requestSubmit()
	}
})
document.getElementById('keys').hidden = false
