import { projectName } from '../data/project.ts'
import type { Task } from '../data/task/task.ts'
import { formatExact } from '../parts/time.tsx'
import { NAMES, toFields } from './save-tasks.ts'
import { saveFile } from './save-file.ts'

/** Nothing in the file runs or asks for anything, wherever it is opened. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
/** What only works with a server behind it. */
const LIVE = 'button, input, select, textarea, form, .segmented, .skip-link, dialog'

/** The view as one file with its styles and pictures inside, for people without Waymark. Of a board all tasks are in it. */
export function saveView(name: string, tasks?: readonly Task[]): void {
  const view = tasks === undefined ? copyOf(document.querySelector('#view')) : toTable(tasks)
  const title = create('title', {})
  title.textContent = `${projectName.peek()}: ${name}`
  const heading = create('h1', {})
  heading.textContent = `${projectName.peek()} · ${name} · ${formatExact(Date.now())}`
  const { theme } = document.documentElement.dataset
  const root = theme === undefined ? '<html>' : `<html data-theme="${theme}">`
  // Put together as text: this page may not make styles, not even for another document.
  const html = `<!doctype html>${root}<head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">${title.outerHTML}
<style>${styles()}\nbody { padding: 16px; }</style></head>
<body>${heading.outerHTML}${view.outerHTML}</body></html>
`
  saveFile(`${projectName.peek()}-${name}.html`, 'text/html', html)
}

function copyOf(view: Element | null): Element {
  const copy = create('main', {})
  if (view === null) return copy
  copy.append(...view.cloneNode(true).childNodes)
  const canvases = [...view.querySelectorAll('canvas')]
  for (const [at, canvas] of [...copy.querySelectorAll('canvas')].entries()) {
    const src = canvases[at]?.toDataURL() ?? ''
    canvas.replaceWith(create('img', { src, alt: canvas.getAttribute('aria-label') ?? '' }))
  }
  for (const part of copy.querySelectorAll(LIVE)) part.remove()
  // Addresses of this server lead nowhere from a file.
  for (const link of copy.querySelectorAll('a[href^="/"]')) link.removeAttribute('href')
  return copy
}

function toTable(tasks: readonly Task[]): Element {
  const table = create('table', { class: 'table' })
  const addRow = (cell: 'td' | 'th', values: readonly (number | string)[]): void => {
    const row = create('tr', {})
    for (const value of values) {
      const one = create(cell, {})
      one.textContent = String(value)
      row.append(one)
    }
    table.append(row)
  }
  addRow(
    'th',
    NAMES.map((name) => name.replaceAll('_', ' ')),
  )
  for (const task of tasks) addRow('td', Object.values(toFields(task)))
  return table
}

function create(tag: string, attributes: Readonly<Record<string, string>>): HTMLElement {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

function styles(): string {
  return [...document.styleSheets]
    .flatMap(({ cssRules }) => [...cssRules])
    .map(({ cssText }) => cssText)
    .join('\n')
}
