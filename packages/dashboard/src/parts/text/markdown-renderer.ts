import DOMPurify from 'dompurify'
import { Marked } from 'marked'
import { toAddress } from '../../shell/router.ts'

const TAGS =
  'p a ul ol li code pre em strong del h1 h2 h3 h4 h5 h6 blockquote table thead tbody tr th td hr br input'

/** HTML in a text is shown as it is written, and a picture is a link: nothing is fetched because an agent wrote it. */
const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
})

/** The only way from Markdown to the page. */
export function toFragment(markdown: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(markdown, { async: false }), {
    ALLOWED_TAGS: TAGS.split(' '),
    ALLOWED_ATTR: ['href', 'type', 'checked', 'disabled', 'start'],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto|cas|waymark):|^[/#]/i,
    RETURN_DOM_FRAGMENT: true,
  })
  for (const link of fragment.querySelectorAll('a')) markOutside(link)
  for (const box of fragment.querySelectorAll('input')) box.disabled = true
  linkNumbers(fragment)
  return fragment
}

/** Links out open elsewhere, learn nothing of this page, and show where they lead. */
function markOutside(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href') ?? ''
  if (href.startsWith('#')) return
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  link.title = href
}

/** `#61` becomes a link to the task or entity. Text nodes are walked after cleaning, so no HTML is made of them. */
function linkNumbers(fragment: DocumentFragment): void {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT)
  const texts: Text[] = []
  while (walker.nextNode()) texts.push(walker.currentNode as Text)
  for (const text of texts) {
    if (text.parentElement?.closest('a, code, pre')) continue
    const parts = text.data.split(/(?<![\w#&])(#\d{1,9})\b/)
    if (parts.length > 1) text.replaceWith(...parts.map(toNode))
  }
}

function toNode(part: string): Node {
  if (!/^#\d+$/.test(part)) return document.createTextNode(part)
  const link = document.createElement('a')
  link.href = toAddress('t', part.slice(1))
  link.textContent = part
  return link
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
