import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSecretFile, readSecretFile } from '../../src/surfaces/serve/secret-file.ts'

function setup(text?: string, mode = 0o600) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-secret-'))
  const path = join(folder, 'secret')
  if (text !== undefined) {
    writeFileSync(path, text)
    chmodSync(path, mode)
  }
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

describe('the remedy for a secret that will not do is one that helps', () => {
  it('the file that is made for one is made anew', () => {
    using file = setup('short')
    expect(() => openSecretFile(file.path)).toThrow('; delete it for a new one')
    rmSync(file.path)
    expect(openSecretFile(file.path)).toMatch(/^[\w-]{43}$/)
  })

  it('a file of one’s own choice is not, so it is never to be deleted', () => {
    using file = setup('short')
    expect(() => readSecretFile(file.path)).toThrow('; put another secret into it')
    rmSync(file.path)
    expect(() => readSecretFile(file.path)).toThrow('is not there: it must hold 32 or more')
  })

  it.runIf(process.platform !== 'win32')('the same where others can read it', () => {
    using file = setup('s'.repeat(40), 0o644)
    expect(() => openSecretFile(file.path)).toThrow(/chmod 600 .* delete it for a new one/)
    expect(() => readSecretFile(file.path)).toThrow(/chmod 600 .* put another secret into it/)
  })
})
