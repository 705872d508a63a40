import fc from 'fast-check'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyPart } from '../../src/install/apply.ts'
import { revertPart } from '../../src/install/revert.ts'
import { fingerprint } from '../../src/install/config-file.ts'
import type { Edit } from '../../src/install/format/edit.ts'
import { FORMATS } from '../../src/install/format/formats.ts'
import { fileStateOf } from '../../src/install/file-state.ts'
import { jsoncDocument } from './format/arbitrary-jsonc.ts'
import { createHome } from './home.ts'
import { SEED } from '../seed.ts'

const OURS = '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'

describe('a file that its owner has changed since', () => {
  it('loses exactly our entry', async () => {
    await using home = await createHome()
    const file = join(home.root, '.cursor', 'mcp.json')
    home.write(file, OURS)
    await home.install(['cursor'])
    const text = home.read(file).toString('utf8')
    home.write(file, text.replace('"other": {},', '"other": { "command": "new" }, // mine'))
    const { out } = await home.install(['cursor'], { uninstall: true })
    expect(out).toMatch(/^removed\tCursor\t/)
    expect(home.read(file).toString('utf8')).toBe(
      OURS.replace('"other": {}', '"other": { "command": "new" } // mine'),
    )
  })

  it('keeps what was added to our entry only as long as the entry', async () => {
    await using home = await createHome()
    const file = join(home.root, '.cursor', 'mcp.json')
    home.write(file, OURS)
    await home.install(['cursor'])
    home.write(
      file,
      home.read(file).toString('utf8').replace('"args"', '"env": { "A": "1" },\n      "args"'),
    )
    await home.install(['cursor'], { uninstall: true })
    expect(home.read(file).toString('utf8')).toBe(OURS)
  })

  it('keeps an entry that starts another command by now', async () => {
    await using home = await createHome()
    const file = join(home.root, '.cursor', 'mcp.json')
    await home.install(['cursor'])
    home.write(file, '{ "mcpServers": { "waymark": { "command": "mine" } } }')
    const before = home.files()
    expect((await home.install(['cursor'], { uninstall: true })).out).toMatch(/^kept\tCursor\t/)
    expect(home.files()).toEqual(before)
  })

  it('gets back what was there under our name before', async () => {
    await using home = await createHome()
    const file = join(home.root, '.cursor', 'mcp.json')
    home.write(file, '{"mcpServers":{"waymark":{"command":"theirs"}}}')
    await home.install(['cursor'], { force: true })
    home.write(file, home.read(file).toString('utf8').replace('}}}', '},"new":{}}}'))
    await home.install(['cursor'], { uninstall: true })
    expect(JSON.parse(home.read(file).toString('utf8'))).toEqual({
      mcpServers: { waymark: { command: 'theirs' }, new: {} },
    })
  })

  it('is restored with these changes once we have written to it again', async () => {
    await using home = await createHome()
    const file = join(home.root, '.cursor', 'mcp.json')
    home.write(file, OURS)
    await home.install(['cursor'])
    home.write(file, `// new\n${home.read(file).toString('utf8')}`)
    expect((await home.install(['cursor'], { serveOptions: '--read-only' })).out).toMatch(
      /^updated\t/,
    )
    expect(home.read(file).toString('utf8')).toContain('"--read-only"')
    expect((await home.install(['cursor'], { uninstall: true })).out).toMatch(/^restored\t/)
    expect(home.read(file).toString('utf8')).toBe(`// new\n${OURS}`)
  })

  it('stays away if its owner has deleted it', async () => {
    await using home = await createHome()
    const before = home.files()
    await home.install(['claude-code'])
    home.remove(join(home.root, '.mcp.json'))
    expect((await home.install(['claude-code'], { uninstall: true })).exit).toBe(0)
    expect(home.files()).toEqual(before)
  })

  it('goes if nothing but our own is left in it, even laid out anew', async () => {
    await using home = await createHome()
    const before = home.files()
    const file = join(home.root, '.cursor', 'hooks.json')
    await home.install(['cursor'], { hooks: true })
    home.write(file, JSON.stringify(JSON.parse(home.read(file).toString('utf8'))))
    await home.install(['cursor'], { uninstall: true })
    expect(home.files()).toEqual(before)
  })
})

describe('a lost ledger', () => {
  it('does not keep our entry from being recognised and removed', async () => {
    await using home = await createHome()
    const file = join(home.root, '.cursor', 'mcp.json')
    home.write(file, OURS)
    await home.install(['cursor'])
    home.remove(join(home.root, '.git', 'waymark', 'install'))
    expect((await home.install(['cursor'])).out).toMatch(/^unchanged\t/)
    expect((await home.install([], { uninstall: true })).out).toMatch(/^removed\tCursor\t/)
    expect(home.read(file).toString('utf8')).toBe(OURS)
  })

  it('does not make us take away what is not recognisably ours', async () => {
    await using home = await createHome()
    home.write(join(home.root, '.mcp.json'), '{"mcpServers":{"waymark":{"command":"mine"}}}')
    const before = home.files()
    expect((await home.install(['claude-code'], { uninstall: true })).out).toMatch(/^absent\t/)
    expect(home.files()).toEqual(before)
  })

  it('lets an outdated entry of a colleague be updated without force', async () => {
    await using home = await createHome()
    home.write(
      join(home.root, '.mcp.json'),
      '{"mcpServers":{"waymark":{"command":"/other/node","args":["/other/waymark.js","serve"]}}}',
    )
    const before = home.files()
    expect((await home.install(['claude-code'])).exit).toBe(0)
    await home.install(['claude-code'], { uninstall: true })
    expect(home.files()).toEqual(before)
  })
})

describe('any file, and any number of installations', () => {
  const { json } = FORMATS
  const rules = { isOurs: () => false, force: true }
  const part = (at: number): { host: string; part: 'server' | 'hook'; edits: Edit[] } =>
    at % 2 === 0
      ? {
          host: `h${at}`,
          part: 'server',
          edits: [{ kind: 'entry', path: ['mcpServers', `w${at}`], value: { command: 'x' } }],
        }
      : {
          host: `h${at}`,
          part: 'hook',
          edits: [{ kind: 'item', path: ['hooks', 'Start'], value: { at } }],
        }

  it('are undone to the byte, in whatever order', () => {
    fc.assert(
      fc.property(
        fc.option(jsoncDocument, { nil: undefined }),
        fc.boolean(),
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }),
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
        (text, hasMark, installed, removed) => {
          const bytes =
            text === undefined ? undefined : Buffer.from((hasMark ? '\uFEFF' : '') + text)
          const start = fileStateOf(json, bytes)
          let fileState = start
          try {
            for (const at of installed)
              fileState = applyPart(json, fileState, part(at), rules).fileState
          } catch {
            fc.pre(false)
          }
          for (const at of removed) {
            fileState = revertPart(json, fileState, {
              matches: ({ host }) => host === `h${at}`,
              candidates: [],
              isOurs: () => false,
            }).fileState
          }
          expect(fileState.bytes).toEqual(bytes)
          expect(fingerprint(fileState.bytes)).toBe(fingerprint(bytes))
        },
      ),
      { seed: SEED, numRuns: 500 },
    )
  })
})
