import * as z from 'zod'
import { parseGitAiNote } from './git-ai-note.ts'
import { hunksIn } from '../../git/history/blame.ts'
import { BrokenTree, NotesTree } from '../notes/notes-tree.ts'
import { readRef } from '../../git/refs/ref-state.ts'
import { countLines } from '../outline/lines.ts'
import type { Code } from '../write/open-code.ts'
import type { Scope } from '../region/scope.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** Where git-ai records which lines an agent wrote. */
const GIT_AI_REF = 'refs/notes/ai'
/** Above this the conversation is in the note as well, and the part that matters is all at its start. */
const LARGEST_NOTE = 200 * 1024

export const authorship = z.object({
  agent: z.string().describe('Tool and model'),
  session: z.string().optional(),
  for: z.string().optional().describe('Person it worked for'),
  lines: z.int().describe('How many of the lines it wrote'),
})

export type Authorship = z.output<typeof authorship>

/** Which agents wrote the requested lines, according to git-ai notes. */
export async function readAuthorship(
  { repository }: Code,
  { view, ranges }: Scope,
): Promise<readonly Authorship[]> {
  const state = await readRef(repository, GIT_AI_REF)
  // They are notes of another program, and only added to what is known here.
  if (state.kind !== 'commit' || view.history === undefined) return []
  const tree = new NotesTree(repository, state.id)
  const whole = { start: 1, end: countLines(view.file.committed?.text ?? '') }
  const asked = ranges?.flatMap((range) => view.uncommitted.toOlder(range) ?? []) ?? [whole]
  const hunks = asked.flatMap((range) => hunksIn(view.history?.blame ?? [], range))
  const counted = new Map<string, Authorship>()
  for (const commit of new Set(hunks.map((hunk) => hunk.commit))) {
    const found = (await findBlobs(tree, commit)).at(-1)
    const note =
      found === undefined ? undefined : await repository.objects.readUpTo(LARGEST_NOTE, found)
    if (note === undefined || note === 'too_large') continue
    const attested = parseGitAiNote(note.content.toString('utf8'))
    for (const hunk of hunks.filter((each) => each.commit === commit)) {
      for (let at = 0; at < hunk.count; at += 1) {
        const author = attested.authorOf(hunk.path, hunk.originalStart + at)
        if (author === undefined) continue
        const key = JSON.stringify(author)
        const known = counted.get(key)
        counted.set(key, { ...author, lines: (known?.lines ?? 0) + 1 })
      }
    }
  }
  return [...counted.values()].toSorted((a, b) => b.lines - a.lines)
}

async function findBlobs(tree: NotesTree, commit: CommitId): Promise<readonly string[]> {
  try {
    return await tree.find(commit)
  } catch (error) {
    if (error instanceof BrokenTree) return []
    throw error
  }
}
