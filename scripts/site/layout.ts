import { posix } from 'node:path'
import { escaped, type Heading, type Rendered } from './markdown.ts'
import { type Group, nameOf, type Page } from './pages.ts'

/** The first page begins with what the README says above its first heading, and the ways on. */
function opening(html: string): string {
  const at = html.indexOf('<h2')
  const [hero, rest] = [html.slice(0, at), html.slice(at)]
  const picture = hero.indexOf('<picture>')
  const ways = `<p class="ways">
<a class="button" href="docs/replay.html">See it in two minutes</a>
<a href="docs/why-it-forgot.html">Why did my agent forget?</a>
<a href="#two-commands">Start with two commands</a>
</p>`
  return `<div class="hero">${hero.slice(0, picture)}${ways}${hero.slice(picture)}</div>${rest}`
}

function menu(groups: readonly Group[], page: Page, to: (address: string) => string): string {
  const item = (one: Page): string => {
    const current = one === page ? ' aria-current="page"' : ''
    return `<li><a href="${to(one.address)}"${current}>${escaped(nameOf(one))}</a></li>`
  }
  return groups
    .map(({ title, pages, isFolded }) => {
      const list = `<ul>${pages.map(item).join('')}</ul>`
      if (!isFolded) return `<section><h2>${title}</h2>${list}</section>`
      return `<details${pages.includes(page) ? ' open' : ''}><summary>${title}</summary>${list}</details>`
    })
    .join('\n')
}

const contents = (headings: readonly Heading[]): string =>
  headings.length < 3
    ? ''
    : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${headings
        .map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`)
        .join('')}</ul></nav>`

/** A whole page: one menu, which folds away where the screen is narrow. Nothing of it needs a script. */
export function layOut(page: Page, { html, headings }: Rendered, groups: readonly Group[]): string {
  const to = (address: string): string => posix.relative(posix.dirname(page.address), address) || '.'
  const isFirst = page.address === 'index.html'
  const kind = isFirst ? 'first' : page.source === 'docs/replay.md' ? 'replay' : 'page'
  const title = isFirst ? 'LCM Inspector' : `${page.title} · LCM Inspector`
  const list = menu(groups, page, to)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="${to('icon.svg')}">
<link rel="stylesheet" href="${to('site.css')}">
</head>
<body class="${kind}">
<a class="skip" href="#text">Skip to the text</a>
<header class="bar">
<a class="name" href="${to('index.html')}"><img src="${to('icon.svg')}" alt="" width="22" height="22">LCM Inspector</a>
<nav aria-label="Main">
<a href="${to('docs/replay.html')}">Two minutes</a>
<a href="${to('docs/reference.html')}">Reference</a>
<a href="${to('changelog.html')}">Changes</a>
</nav>
</header>
<details class="narrow-menu"><summary>All pages</summary><nav aria-label="All pages, folded">${list}</nav></details>
<div class="columns">
<nav class="menu" aria-label="All pages">${list}</nav>
<main id="text">
${isFirst ? opening(html) : html}
</main>
${isFirst ? '' : contents(headings)}
</div>
</body>
</html>
`
}
