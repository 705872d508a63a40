import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Memory {
  readonly id: string
  readonly kind: 'decision' | 'gotcha' | 'dead_end' | 'note' | 'task' | 'annotation' | 'message'
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly links: readonly string[]
  readonly path?: string
  readonly status?: string
}

export interface Question {
  readonly id: string
  readonly question: string
  /** How relevant each memory is that answers it: 1 to 3. */
  readonly relevant: Readonly<Record<string, number>>
}

export interface Corpus {
  readonly name: string
  readonly memories: readonly Memory[]
  readonly questions: readonly Question[]
}

/** How a need is put: as a question of a colleague who knows the code, or as what happened, in everyday words. */
export type Wording = 'questions' | 'situations'

/** Memories of six code bases in one project, and what people want to know of them. */
export function readCorpus(wording: Wording): Corpus {
  return {
    name: `six code bases, ${wording}`,
    memories: shuffle([...readLines<Memory>('a-entries'), ...readLines<Memory>('b-entries')]),
    questions: readLines<Question>(wording),
  }
}

interface Turn {
  readonly id: string
  readonly speaker: string
  readonly date: string
  readonly text: string
}

/** How a turn of a conversation is kept: who spoke and when as its title, or all of it in one text. */
export type Form = 'titled' | 'whole'

export function nameOfDialogues(form: Form): string {
  return `dialogues, ${form}`
}

/** What friends told each other over months, turn by turn, and what one may ask about them later. */
export function readDialogues(form: Form): Corpus {
  return {
    name: nameOfDialogues(form),
    memories: readLines<Turn>('dialogue-turns').map((turn) => toSaid(turn, form)),
    questions: readLines<Question>('dialogue-questions'),
  }
}

const WORDS_OF_TITLE = 8

function toSaid({ id, speaker, date, text }: Turn, form: Form): Memory {
  const day = new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long' })
  if (form === 'titled') return toNote(id, `${speaker}, ${day}`, text)
  const start = text.split(' ').slice(0, WORDS_OF_TITLE).join(' ')
  return toNote(id, start, `[${day}] ${speaker}: ${text}`)
}

function readLines<T>(name: string): T[] {
  const lines = readFileSync(join(HERE, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}

/** In an order of its own: neighbours in the files are about the same things, which an order of writing would not be. */
function shuffle(memories: readonly Memory[]): readonly Memory[] {
  return memories.toSorted((a, b) => Buffer.compare(hashOf(a.id), hashOf(b.id)))
}

function hashOf(id: string): Buffer {
  return createHash('sha256').update(`recall-1 ${id}`).digest()
}

export const HALVES = ['held out', 'used for tuning'] as const
export type Half = (typeof HALVES)[number]

/** Half of the questions, by a hash of their id: constants were chosen on one half, and the other is only reported. */
export function halfOf(questions: readonly Question[], half: Half): readonly Question[] {
  const isTuned = ({ id }: Question): boolean => (hashOf(id)[0] ?? 0) % 2 === 0
  return questions.filter((question) => isTuned(question) === (half === 'used for tuning'))
}

const SHORTEST_BODY = 8

/** Messages of this repository's commits: the subject asks for the body. Empty in a clone without history. */
export function readCommits(): Corpus {
  const log = execFileSync('git', ['log', '--format=%H%x01%s%x01%b%x02'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const commits = log.split('\x02').flatMap((record) => {
    const [hash = '', subject = '', body = ''] = record.trim().split('\x01')
    const words = body.split(/\s+/).filter(Boolean)
    if (words.length < SHORTEST_BODY) return []
    return [{ id: hash.slice(0, 12), subject: subject.replace(/^[\w()-]+: /, ''), words }]
  })
  return {
    name: 'commit messages',
    memories: commits.map(({ id, words }) =>
      toNote(id, words.slice(0, 7).join(' '), words.join(' ')),
    ),
    questions: commits.map(({ id, subject }) => ({ id, question: subject, relevant: { [id]: 1 } })),
  }
}

/** Paragraphs of this repository's pages: the last sentence asks for the rest. */
export function readPages(): Corpus {
  const memories: Memory[] = []
  const questions: Question[] = []
  for (const file of readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.md') || /^(?:proof|reference)/.test(file)) continue
    for (const { heading, sentences } of paragraphsOf(
      readFileSync(join(ROOT, 'docs', file), 'utf8'),
    )) {
      const body = sentences.slice(0, -1).join(' ')
      // Named by its text, so that it stays in its half when other pages change.
      const id = `page-${hashOf(body).toString('hex').slice(0, 12)}`
      memories.push(toNote(id, heading, body))
      questions.push({ id, question: sentences.at(-1) ?? '', relevant: { [id]: 1 } })
    }
  }
  return { name: 'pages', memories, questions }
}

const SHORTEST_PARAGRAPH = 20

function* paragraphsOf(page: string): Generator<{ heading: string; sentences: readonly string[] }> {
  for (const section of page.split(/\n(?=#)/)) {
    const heading = (/^#+ *(.+)/.exec(section)?.[1] ?? '').trim()
    for (const paragraph of section.split(/\n\s*\n/)) {
      const sentences = paragraph
        .replaceAll(/\s+/g, ' ')
        .trim()
        .split(/(?<=[.!?]) /)
      const isProse = sentences.length > 1 && !/^[|#`]/.test(paragraph.trim())
      if (isProse && sentences.join(' ').split(' ').length > SHORTEST_PARAGRAPH) {
        yield { heading, sentences }
      }
    }
  }
}

function toNote(id: string, title: string, body: string): Memory {
  return { id, kind: 'note', title, body, tags: [], links: [] }
}
