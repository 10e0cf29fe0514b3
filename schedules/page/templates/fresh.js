// A page whose body says in how many seconds it is out of date is fetched again then, and takes the place of what is there.
// Without this file the browser loads it anew.
const renew = async () => {
	try {
		const answer = await fetch(location.href)
		const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
		if (answer.ok) document.body.replaceWith(document.adoptNode(page.body))
	} catch {} // the server is away: it may be there the next time
	later()
}
const later = () => document.body.dataset.fresh && setTimeout(renew, 1000 * document.body.dataset.fresh)
later()
