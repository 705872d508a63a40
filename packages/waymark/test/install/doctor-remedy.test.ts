import { expect, it } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { remedyFor } from '../../src/surfaces/install/doctor-command.ts'

it.each([
  ['a damaged database', 'storage_corrupt', 'database disk image is malformed', /from a backup/],
  ['a foreign folder', 'storage_unavailable', 'git: dubious ownership in …', /safe\.directory/],
  ['a folder without rights', 'storage_unavailable', 'git: Permission denied', /give your user/],
  ['a full disk', 'storage_unavailable', 'no space left on the disk', undefined],
  ['a busy database', 'busy', 'another process is writing', undefined],
] as const)(
  'doctor advises to restore a backup for damage alone: %s [doctor-no-restore]',
  (_, code, message, advice) => {
    const remedy = remedyFor(new Failure(code, message), '/srv/project')
    if (advice === undefined) expect(remedy).toBeUndefined()
    else expect(remedy).toMatch(advice)
  },
)
