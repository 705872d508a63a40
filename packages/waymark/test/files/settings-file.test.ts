import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/core/project/config.ts'
import { Failure } from '../../src/core/error.ts'
import { createFolder } from './everywhere.ts'

const SECRET = 'root:$6$hash:19000'

describe('a settings file', () => {
  test.skipIf(process.platform === 'win32')(
    'that is a link, or below one, is refused by name, and nothing of what it leads to is told [settings-file-link-below]',
    () => {
      using folder = createFolder()
      const outside = join(folder.path, 'outside')
      mkdirSync(outside)
      writeFileSync(join(outside, 'config.json'), SECRET)
      const root = join(folder.path, 'main')
      mkdirSync(join(root, '.waymark'), { recursive: true })
      const file = join(root, '.waymark', 'config.json')
      symlinkSync(join(outside, 'config.json'), file)
      expectRefused(root, '.waymark/config.json is a symbolic link')
      rmSync(file)
      symlinkSync(join(outside, 'absent'), file)
      expectRefused(root, '.waymark/config.json is a symbolic link')
      rmSync(file)
      execFileSync('mkfifo', [file])
      expectRefused(root, '.waymark/config.json is a named pipe')
      rmSync(join(root, '.waymark'), { recursive: true })
      symlinkSync(outside, join(root, '.waymark'))
      expectRefused(root, '.waymark is a symbolic link')
    },
  )

  test.each([
    [`${SECRET}\n`, ' near line 1'],
    [`{\n  "actor": ${SECRET}\n}`, ' near line 2'],
    [`{\n  "actor": "x",\n  ${SECRET}`, ' near line 3'],
    [`"${SECRET}"`, ''],
  ])(
    'that cannot be read as %j is named with the line, and none of its text is told',
    (text, place) => {
      using folder = createFolder()
      mkdirSync(join(folder.path, '.waymark'))
      writeFileSync(join(folder.path, '.waymark', 'config.json'), text)
      const problem = place === '' ? 'must hold a JSON object' : `is not valid JSON${place}`
      expectRefused(folder.path, `.waymark/config.json ${problem}`)
    },
  )

  test('that is larger than a settings file can be is refused', () => {
    using folder = createFolder()
    mkdirSync(join(folder.path, '.waymark'))
    writeFileSync(join(folder.path, '.waymark', 'config.json'), ' '.repeat(2 ** 20 + 1))
    expectRefused(
      folder.path,
      '.waymark/config.json has 1048577 bytes and may have at most 1048576',
    )
  })
})

function expectRefused(root: string, message: string): void {
  let failure: unknown
  try {
    loadConfig(root, {})
  } catch (error) {
    failure = error
  }
  expect(failure).toBeInstanceOf(Failure)
  expect(failure).toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(`^${message.replaceAll('.', '\\.')}`),
  })
  const { cause, details } = failure as Failure
  for (const told of [String(failure), String(cause), JSON.stringify(details)])
    expect(told).not.toMatch(/root:|hash/)
}
