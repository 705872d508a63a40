import { readFile, readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'

const AUTH = new URL('../../src/auth/', import.meta.url)

it('a server without OAuth never loads the cryptography library', async () => {
  const files = await readdir(AUTH, { recursive: true })
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(new URL(file, AUTH), 'utf8')
    const eager = text.match(/^(import|export) (?!type\b)[^;]*?from 'jose'/gm)
    expect(eager, file).toBeNull()
  }
})
