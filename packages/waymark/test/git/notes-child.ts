// Writes notes in a process of its own: `notes-child <repository> <name> <commit>…`, one line out per note.
import { join } from 'node:path'
import { updateNotes } from '../../src/annotation/notes/write-notes.ts'
import { openRepository } from '../../src/git/repository.ts'
import { toCommitId } from '../../src/git/history/commit-id.ts'

const [directory = '', name = '', ...commits] = process.argv.slice(2)
await using repository = openRepository(directory, join(directory, '.git', 'waymark'))
for (const commit of commits) {
  await updateNotes(repository, {
    ref: 'refs/notes/waymark',
    edits: new Map([[toCommitId(commit), (body = '') => `${body}{"from":"${name}"}\n`]]),
    author: name,
    message: 'note',
    at: 1_800_000_000_000,
  })
  process.stdout.write(`${commit}\n`)
}
