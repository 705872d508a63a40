import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shell } from './shell.ts'

describe('mistakes', () => {
  it.each([
    ['get 7', 3, 'no entity has the number or id "7"'],
    ['get 7 --json', 3, '"code":"not_found"'],
    ['get', 2, "missing required argument 'id'"],
    ['add story X', 2, 'type: must be one of decision, task, note, prompt, component, link'],
    ['add task X --due-date soon', 2, 'due-date: must be a date like 2026-11-15'],
    ['add task X --priority soon', 2, 'priority: must be'],
    ['add decision X --superseded-by 9', 2, 'status: must be superseded where --superseded-by is'],
    ['export beads a.txt', 4, 'pass --force to replace it'],
    ['task list --status open', 2, 'error: status: must be one of todo, in_progress'],
    ['list --limit many', 2, 'limit: must be a number'],
    ['list --limit 0', 2, 'limit: must be at least 1'],
    ['list --colour red', 2, "unknown option '--colour'"],
    ['lst', 2, 'Did you mean list?'],
    ['update 1', 2, 'names nothing to change'],
    ['relation add 1 1', 2, 'type: is required'],
  ])('`waymark %s` exits with %i and says: %s', async (words, exit, message) => {
    await using sh = await shell()
    writeFileSync(join(sh.directory, 'a.txt'), 'mine')
    expect(await sh.run(words)).toMatchObject({
      exit,
      out: '',
      err: expect.stringContaining(message),
    })
  })

  it('a long error breaks at words for a person, and not at all for a program', async () => {
    await using sh = await shell()
    const [words, columns] = ['task defer 1 later', 60]
    const narrow = (await sh.run(words, { interactive: true, columns })).err
    const whole = (await sh.run(words)).err
    expect(Math.max(...narrow.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(columns)
    expect(narrow.replaceAll(/\n {2}/g, ' ')).toBe(whole)
  })

  it('a configuration that makes no sense is named before anything happens', async () => {
    await using sh = await shell()
    const { exit, err } = await sh.run('list', { env: { WAYMARK_LOG_LEVEL: 'loud' } })
    expect([exit, err]).toEqual([
      2,
      expect.stringContaining('logLevel: must be one of trace, debug, info, warn, error'),
    ])
  })
})

describe('a suggestion', () => {
  it.each([
    ['clsoe', 'close'],
    ['taks', 'task'],
    ['serch x', 'search'],
    ['desicion', 'decision'],
    ['delte 1', 'delete'],
    ['anno', 'annotate'],
    ['defer 1 tomorrow', 'task defer'],
    ['verify 1', 'one of code verify, task verify'],
    ['task clam 1', 'claim'],
    ['task dnoe 1', 'done'],
    ['help taks', 'task'],
    ['help task clam', 'claim'],
    ['task clam --help', 'claim'],
    ['add task X --prio high', '--priority'],
    ['task claim 1 --secnds 5', '--seconds'],
    ['list --jsn', '--json'],
    ['sync --no-puhs', '--no-push'],
  ])('`waymark %s` → %s', async (words, meant) => {
    await using sh = await shell()
    const { exit, out, err } = await sh.run(words)
    expect([exit, out]).toEqual([2, ''])
    expect(err).toContain(`(Did you mean ${meant}?)`)
  })

  it('is not made where nothing is close, and never of a command that deletes', async () => {
    await using sh = await shell()
    for (const words of [
      'prune',
      'remove',
      'forget',
      'undone',
      'artifact removal',
      'nope',
      'dome',
      'ug',
      'help nope',
      'list --colour red',
    ]) {
      const { exit, out, err } = await sh.run(words)
      expect([exit, out], words).toEqual([2, ''])
      expect(err, words).toMatch(/^error: unknown (?:command|option)/)
      expect(err, words).not.toMatch(/mean .*\b(?:delete|purge|undo|remove|code|init|prime)\b/)
    }
  })
})

describe('mistakes in a command line, as JSON', () => {
  it.each([
    ['unknown option', 'task list --nonsense', "unknown option '--nonsense'"],
    ['unknown global option', '--nonsense list', "unknown option '--nonsense'"],
    ['no value', 'events --since', 'argument missing'],
    ['missing argument', 'get', "missing required argument 'id'"],
    ['misspelt command', 'lst', "unknown command 'lst' (Did you mean list?)"],
    ['misspelt verb', 'task clam 1', "unknown command 'clam'"],
    ['no verb', 'decision', 'a command is missing'],
  ])('%s', async (_what, words, message) => {
    await using sh = await shell()
    const { exit, out, err } = await sh.run(`${words} --json`)
    expect([exit, out]).toEqual([2, ''])
    expect(JSON.parse(err)).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining(message), retryable: false },
    })
  })

  it('help is help all the same', async () => {
    await using sh = await shell()
    expect(await sh.run('task claim --help --json')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('Usage: waymark task claim'),
      err: '',
    })
  })
})

describe('an argument', () => {
  it('what may be left out of the words may be given by its name, but not both ways', async () => {
    await using sh = await shell()
    for (const title of ['A', 'B', 'C']) await sh.run(['add', 'note', title])
    for (const words of ['events --since 2', 'event list --since 2', 'events wait --since 2'])
      expect(JSON.parse((await sh.run(`${words} --json`)).out).events, words).toHaveLength(1)
    expect(JSON.parse((await sh.run('list --type note --json')).out).total).toBe(3)
    expect(await sh.run('events 1 --since 2')).toMatchObject({
      exit: 2,
      err: expect.stringContaining("'since' is given twice"),
    })
  })
})
