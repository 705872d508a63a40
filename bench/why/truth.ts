import { execute } from '../../packages/waymark/src/core/execute.ts'
import { readCode } from '../../packages/waymark/src/annotation/read/read.ts'
import { annotateCode } from '../../packages/waymark/src/annotation/write/annotate.ts'
import type { GeneratedHistory, Touch } from './generated.ts'
import { git, open, type Opened } from './scratch.ts'

/** How the answers about a generated history compare with what is known of it. */
export interface TruthFigures {
  answers: number
  wrong: string[]
  /** Annotations of functions of which at least a third of the lines are left. */
  expected: number
  found: number
  missed: string[]
}

/** Annotates every function that a commit wrote, then asks for every function of today. */
export async function compareWithTruth(history: GeneratedHistory): Promise<TruthFigures> {
  await using opened = await open(history.directory)
  await annotate(opened, history.touches)
  const figures: TruthFigures = { answers: 0, wrong: [], expected: 0, found: 0, missed: [] }
  for (const one of history.functions) {
    const told = await answersAbout(opened, one.file, one.name)
    const place = `${one.file} ${one.name}`
    for (const intent of told) {
      figures.answers += 1
      const id = Number(intent.split(' ')[0])
      // Lines that were taken out of a function still have its reason, as blame says.
      if (id !== one.id && !one.from.includes(id)) figures.wrong.push(`${place} ← ${intent}`)
    }
    for (const touch of history.touches.filter(({ id }) => id === one.id)) {
      if (shareLeft(history.directory, touch, one) < 1 / 3) continue
      figures.expected += 1
      if (told.has(toIntent(touch))) figures.found += 1
      else figures.missed.push(`${place} ← ${toIntent(touch)}`)
    }
  }
  return figures
}

async function annotate({ context }: Opened, touches: readonly Touch[]): Promise<void> {
  for (const touch of touches) {
    await execute(context, annotateCode, {
      commit: touch.commit,
      summary: `Why step ${touch.commit.slice(0, 8)} was made`,
      regions: [{ file: touch.file, anchor: touch.name, intent: toIntent(touch) }],
    })
  }
}

function toIntent({ id, commit, name }: Touch): string {
  return `${id} ${name} ${commit.slice(0, 8)}`
}

/** Asks until nothing is left to be traced, as an answer says. */
async function answersAbout(
  { context }: Opened,
  path: string,
  anchor: string,
): Promise<ReadonlySet<string>> {
  for (;;) {
    const asked = { path, anchor, max_regions: 200, depth: 0 }
    const { regions, notes = [] } = await execute(context, readCode, asked)
    if (notes.some((note) => note.includes('still being traced'))) continue
    const there = regions.filter(({ freshness }) => freshness.state !== 'orphaned')
    return new Set(there.map(({ intent }) => intent))
  }
}

const TEXTS = new Map<string, readonly string[]>()

/** The lines of a function, without layout. */
function linesOf(directory: string, revision: string, file: string, name: string) {
  const key = `${directory} ${revision} ${file}`
  const lines = TEXTS.get(key) ?? git(directory, 'show', `${revision}:${file}`).split('\n')
  TEXTS.set(key, lines)
  const start = lines.findIndex((line) => line.includes(`${name}(`))
  const end = lines.findIndex((line, at) => at > start && line === '')
  return lines.slice(start, end).map((line) => line.trim())
}

function shareLeft(directory: string, touch: Touch, one: { file: string; name: string }): number {
  const then = linesOf(directory, touch.commit, touch.file, touch.name)
  const now = new Set(linesOf(directory, 'HEAD', one.file, one.name))
  return then.filter((line) => now.has(line)).length / then.length
}
