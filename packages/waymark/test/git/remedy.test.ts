import { expect, it } from 'vitest'
import { Failure } from '../../src/error.ts'
import { brokenRef } from '../../src/git/refs/damaged-ref.ts'
import { gitRemedy } from '../../src/git/refs/remedy.ts'

const git = (message: string) =>
  new Failure('storage_unavailable', `git: ${message}`, { details: { reason: 'git' } })

it.each([
  [
    git("detected dubious ownership in repository at '/srv/project'"),
    /git config --global --add safe\.directory \/srv\/project$/,
  ],
  [
    git("cannot open '.git/FETCH_HEAD': Permission denied"),
    /right to read and write the Git folder/,
  ],
  [git('insufficient permission for adding an object to repository database'), /right to/],
  [brokenRef('refs/waymark/log', 'its tree is gone'), /^waymark doctor --repair$/],
  [git('unable to create threads'), undefined],
])('%s: what to do about it is never to restore the database', (failure, words) => {
  const remedy = gitRemedy(failure, '/srv/project')
  if (words === undefined) expect(remedy).toBeUndefined()
  else expect(remedy).toMatch(words)
})
