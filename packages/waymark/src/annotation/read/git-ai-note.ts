import type { LineRange } from '../record.ts'

interface LineAuthor {
  /** Tool and model. */
  readonly agent: string
  readonly session?: string
  /** The person it worked for. */
  readonly for?: string
}

export interface GitAiNote {
  /** Who wrote a line of a file, both as they are in the commit that the note belongs to. */
  authorOf(path: string, line: number): LineAuthor | undefined
}

type Fields = Readonly<Record<string, unknown>>

interface Attestation {
  readonly key: string
  readonly ranges: readonly LineRange[]
}

/**
 * Parses a note of git-ai (authorship/3.0.0): lines with a path, under each the author keys with their line ranges, then
 * `---` and JSON that maps the keys to authors. Lines that cannot be parsed are skipped.
 */
export function parseGitAiNote(text: string): GitAiNote {
  const [head = '', ...rest] = text.split(/^---$/m)
  const people = parsePeople(rest.join('---'))
  const byPath = parseAttestations(head)
  return {
    authorOf: (path, line) => {
      const attested = byPath
        .get(path)
        ?.find(({ ranges }) => ranges.some(({ start, end }) => start <= line && line <= end))
      return attested === undefined ? undefined : toAuthor(people, attested.key)
    },
  }
}

function parseAttestations(head: string): ReadonlyMap<string, readonly Attestation[]> {
  const byPath = new Map<string, Attestation[]>()
  let current: Attestation[] = []
  for (const line of head.split('\n')) {
    const [, key, ranges] = /^ {2}(\S+) ([\d,-]+)$/.exec(line) ?? []
    if (key !== undefined) current.push({ key, ranges: parseRanges(ranges ?? '') })
    else if (line !== '' && !line.startsWith(' ')) {
      const path = line.replace(/^"(.*)"$/, '$1')
      current = byPath.get(path) ?? []
      byPath.set(path, current)
    }
  }
  return byPath
}

function parseRanges(text: string): readonly LineRange[] {
  return text.split(',').map((part) => {
    const [start = 0, end = start] = part.split('-').map(Number)
    return { start, end }
  })
}

function parsePeople(json: string): Fields {
  try {
    return { ...(JSON.parse(json) as object) }
  } catch {
    return {}
  }
}

function toAuthor(people: Fields, key: string): LineAuthor | undefined {
  const [id = ''] = key.split('::')
  const entry = asFields(asFields(people['sessions'])[id] ?? asFields(people['prompts'])[id])
  const { tool, model } = asFields(entry['agent_id'])
  if (typeof tool !== 'string') return undefined
  const person = entry['human_author']
  return {
    agent: typeof model === 'string' ? `${tool} ${model}` : tool,
    ...(id.startsWith('s_') && { session: id }),
    ...(typeof person === 'string' && { for: person.split(' <', 1)[0] ?? '' }),
  }
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
