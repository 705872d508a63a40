import { posix } from 'node:path'
import {
  type ImportedKnowledge,
  type Remarks,
  text,
  texts,
  toIso,
} from '../../task/import/imported-task.ts'
import { toRef } from './knowledge.ts'
import { type MarkdownFile, resolveLink, toReferences, toTags } from './markdown.ts'
import { linkedFiles, type Section, toItems, toMarkdown, toOutline } from './sections.ts'
import { lookUp } from '../../support/look-up.ts'

const STATUSES: Readonly<Record<string, string>> = {
  proposed: 'proposed',
  draft: 'proposed',
  pending: 'proposed',
  accepted: 'accepted',
  approved: 'accepted',
  adopted: 'accepted',
  decided: 'accepted',
  implemented: 'accepted',
  amended: 'accepted',
  deprecated: 'deprecated',
  rejected: 'deprecated',
  superseded: 'superseded',
  superceded: 'superseded',
  replaced: 'superseded',
}

/** Statuses that say more than ours, kept as a tag. */
const TAGGED: ReadonlySet<string> = new Set(['draft', 'rejected'])

const PARTS: Readonly<Record<string, 'status' | 'context' | 'decision' | 'consequences'>> = {
  status: 'status',
  context: 'context',
  'context and problem statement': 'context',
  'problem statement': 'context',
  background: 'context',
  decision: 'decision',
  'decision outcome': 'decision',
  consequences: 'consequences',
  'positive consequences': 'consequences',
  'negative consequences': 'consequences',
}

/** Facts that MADR keeps about the people, in the words of its front matter. */
const PEOPLE = ['decision-makers', 'deciders', 'consulted', 'informed'] as const

const READ: ReadonlySet<string> = new Set([
  ...'id title status date created_date tags author supersedes superseded-by'.split(' '),
  ...PEOPLE,
])

/** `- **Status**: accepted`, as records without front matter have it below the title. */
const FACT = /^(?:[-*][ \t]+)?\**(status|date)\**[ \t]*:(.+)$/i

/** Bytes that one consequence may have. */
const LONGEST_CONSEQUENCE = 1024

/** The records of decisions (ADR) in these files, as MADR and adr-tools write them. */
export function readDecisions(
  files: readonly MarkdownFile[],
  remarks: Remarks,
): readonly ImportedKnowledge[] {
  const paths = new Map(files.map(({ path }) => [path, path]))
  // A record is also known by its number: `superseded by ADR-0005`.
  for (const { path } of files) {
    const [, number] = /^(?:adr-?)?0*(\d+)/i.exec(posix.basename(path)) ?? []
    if (number !== undefined && !paths.has(number)) paths.set(number, path)
  }
  return files.flatMap((file) => {
    const decision = /template/i.test(posix.basename(file.path))
      ? undefined
      : readDecision(file, { tool: 'adr', paths, remarks })
    if (decision === undefined)
      remarks.add(`${file.path} is no record of a decision and was left out`)
    return decision === undefined ? [] : [decision]
  })
}

export interface DecisionPlace {
  readonly tool: string
  /** The paths of all records, by path and by number. */
  readonly paths: ReadonlyMap<string, string>
  readonly remarks: Remarks
}

export function readDecision(
  file: MarkdownFile,
  { tool, paths, remarks }: DecisionPlace,
): ImportedKnowledge | undefined {
  const { path, matter, body } = file
  const outline = toOutline(body)
  const facts = toFacts(outline.intro)
  const parts = toParts(outline.sections)
  const statusText = [text(matter['status']), facts.status, parts.status].filter(Boolean).join('\n')
  if (statusText === '' && parts.context === '' && parts.decision === '') return undefined
  remarks.addUnread(matter, READ)
  const { status, tag } = toStatus(statusText, remarks)
  const items = toConsequences(parts.consequences)
  const others = items === undefined ? [...parts.others, ...parts.consequences] : parts.others
  const content = [facts.rest, parts.decision, ...others.map(toMarkdown), toPeople(matter)]
  const ref = (target: string) => toRef(tool, target)
  const links = toLinks(file, statusText, paths)
  const linked = new Set(links.map(({ target }) => ref(target)))
  const references = toReferences(file, new Set(paths.values()), tool)
  return {
    ref: ref(path),
    key: path,
    type: 'decision',
    title: toTitle(text(matter['title']) ?? outline.title, path),
    content: content.filter(Boolean).join('\n\n') || undefined,
    labels: [...toTags(matter['tags']), ...tag],
    properties: {
      status,
      context: parts.context === '' ? null : parts.context,
      consequences: items ?? [],
    },
    author: text(matter['author']),
    created_at: toIso(matter['date'] ?? matter['created_date'] ?? facts.date),
    relations: [
      ...links.map(({ type, target }) => ({ type, ref: ref(target) })),
      ...references.filter((relation) => !linked.has(relation.ref)),
    ],
  }
}

function toTitle(given: string | undefined, path: string): string {
  const title = given?.replace(/^(?:adr[-\s]?)?\d+\s*[.:–—-]\s*/i, '').trim()
  return title || posix.basename(path).replace(/\.[^.]*$/, '')
}

function toFacts(intro: string) {
  const found: { status?: string; date?: string } = {}
  const rest = intro.split('\n').filter((line) => {
    const [, name = '', text = ''] = FACT.exec(line.trim()) ?? []
    const value = text.replace(/^\*+/, '').trim()
    if (name !== '') found[name.toLowerCase() === 'date' ? 'date' : 'status'] ??= value
    return name === ''
  })
  return { ...found, rest: rest.join('\n').trim() }
}

/** The sections by what they are about. One without a meaning here belongs to the section that it stands in. */
function toParts(sections: readonly Section[]) {
  const texts = { status: '', context: '', decision: '' }
  const consequences: Section[] = []
  const others: Section[] = []
  let open: { readonly level: number; add(text: string): void } | undefined
  for (const section of sections) {
    const part = lookUp(PARTS, section.title.toLowerCase().replace(/:$/, ''))
    const isInner = open !== undefined && section.level > open.level
    if (part === 'consequences') {
      consequences.push(section)
      open = undefined
    } else if (part !== undefined && (!isInner || texts[part] === '')) {
      texts[part] = [texts[part], section.text].filter(Boolean).join('\n\n')
      open = {
        level: section.level,
        add: (more) => (texts[part] = [texts[part], more].filter(Boolean).join('\n\n')),
      }
    } else if (isInner) {
      open?.add(toMarkdown(section))
    } else {
      others.push(section)
      open = undefined
    }
  }
  return { ...texts, consequences, others }
}

/** What follows from the decision, one by one; undefined if it can only be kept as a text. */
function toConsequences(sections: readonly Section[]): readonly string[] | undefined {
  const whole = sections.map(({ text }) => text)
  if (whole.some((text) => /^ {0,3}(?:```|~~~)/m.test(text))) return undefined
  const items = whole.flatMap(toItems)
  return items.some((item) => Buffer.byteLength(item) > LONGEST_CONSEQUENCE) ? undefined : items
}

function toStatus(statusText: string, remarks: Remarks) {
  const [word = ''] = statusText.toLowerCase().match(/[a-z]+/) ?? []
  const known = lookUp(STATUSES, word)
  if (word !== '' && known === undefined) remarks.add(`status ${word} became proposed, with a tag`)
  const isTagged = word !== '' && (known === undefined || TAGGED.has(word))
  return { status: known ?? 'proposed', tag: isTagged ? [word] : [] }
}

const LINKS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:super[sc]eded[\s-]by|replaced by)\b/i, 'superseded_by'],
  [/\b(?:super[sc]edes|replaces)\b/i, 'supersedes'],
]

/** The records that replace this one or are replaced by it, as its status and its front matter say. */
function toLinks(
  { path, matter }: MarkdownFile,
  statusText: string,
  paths: ReadonlyMap<string, string>,
) {
  const named = [
    ...texts(matter['superseded-by']).map((name) => `superseded by ${name}`),
    ...texts(matter['supersedes']).map((name) => `supersedes ${name}`),
  ]
  return [...statusText.split('\n'), ...named].flatMap((line) => {
    const [word, type] = LINKS.find(([pattern]) => pattern.test(line)) ?? []
    if (word === undefined || type === undefined) return []
    const rest = line.slice(line.search(word))
    const files = linkedFiles(rest).map((target) => resolveLink(path, target))
    const numbers = [...rest.matchAll(/\b0*(\d{1,6})\b/g)].map(([, number = '']) => number)
    const wanted = files.length > 0 ? files : fileNames(rest).map((name) => resolveLink(path, name))
    const targets = (wanted.length > 0 ? wanted : numbers).map((name) => paths.get(name) ?? name)
    return targets.filter((target) => target !== path).map((target) => ({ type, target }))
  })
}

function fileNames(text: string): readonly string[] {
  return text
    .split(/[^\w.-]/)
    .map((word) => (word.endsWith('.') ? word.slice(0, -1) : word))
    .filter((word) => word.endsWith('.md'))
}

function toPeople(matter: MarkdownFile['matter']): string | undefined {
  const lines = PEOPLE.flatMap((name) => {
    const people = texts(matter[name]).join(', ')
    return people === '' ? [] : [`- ${name}: ${people}`]
  })
  return lines.length === 0 ? undefined : `## People\n\n${lines.join('\n')}`
}
