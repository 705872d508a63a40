import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { createProjectFiles } from '../../src/support/files/project-files.ts'
import { CANARY, createFolder } from './everywhere.ts'

/** More for a soak: `WAYMARK_SWAPPED_READS=10000`. */
const READS = Number(process.env['WAYMARK_SWAPPED_READS'] ?? 1000)
/** A machine that gives the other process no time proves nothing; it is waited for. */
const MOST_READS = 1000 * READS

/** Puts a link to the outside in the place of a file and of a folder, and them back, as fast as it can. */
const SWAPPER = `
  const { renameSync, symlinkSync, writeFileSync } = require('node:fs')
  const [root, outside] = process.argv.slice(1)
  process.chdir(root)
  symlinkSync(outside, 'link')
  for (;;) {
    renameSync('folder', 'aside')
    renameSync('link', 'folder')
    symlinkSync(outside + '/file', 'draft')
    renameSync('draft', 'file')
    rest()
    renameSync('folder', 'link')
    renameSync('aside', 'folder')
    writeFileSync('draft', 'harmless')
    renameSync('draft', 'file')
    rest()
  }
  // Whoever sleeps for a moment is let in soon, in the middle of whatever others are at.
  function rest() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() / 5)
  }`

function startSwapping(root: string, outside: string): AsyncDisposable {
  const swapper = spawn(process.execPath, ['-e', SWAPPER, root, outside], { stdio: 'ignore' })
  const end = once(swapper, 'close')
  return {
    [Symbol.asyncDispose]: async () => {
      swapper.kill('SIGKILL')
      await end
    },
  }
}

test.skipIf(process.platform !== 'linux')(
  'while links take the place of a file and of its folder, no read and no write leaves the project [swapped-links-take]',
  async () => {
    using folder = createFolder()
    const [root, outside] = [join(folder.path, 'project'), join(folder.path, 'outside')]
    for (const place of [root, outside, join(root, 'folder')]) mkdirSync(place)
    writeFileSync(join(outside, 'file'), CANARY)
    writeFileSync(join(root, 'folder/file'), 'harmless')
    writeFileSync(join(root, 'file'), 'harmless')
    await using _ = startSwapping(root, outside)
    const files = createProjectFiles(root, undefined)
    const seen = { done: 0, refused: 0, escaped: 0 }
    for (let n = 0; n < READS || seen.done === 0 || seen.refused === 0; n += 1) {
      expect(n).toBeLessThan(MOST_READS)
      try {
        if (n % 4 === 0) await files.put('folder/new', (file) => file.writeFile('written'))
        const text = await files.readText(n % 4 === 1 ? 'file' : 'folder/file')
        if (text === CANARY) seen.escaped += 1
        else seen.done += 1
      } catch (error) {
        // A folder may be gone at the moment when something is put into it.
        if (!(error instanceof Failure)) expect(error).toMatchObject({ code: 'ENOENT' })
        seen.refused += 1
      }
    }
    const found = readdirSync(outside).map((name) => readFileSync(join(outside, name), 'utf8'))
    expect({ escaped: seen.escaped, outside: found.filter((text) => text !== '') }).toEqual({
      escaped: 0,
      outside: [CANARY],
    })
  },
)
