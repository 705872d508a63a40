import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isCommand } from '../../src/surfaces/command-words.ts'
import { ALIASES_BY_WORDS, expandAlias } from '../../src/surfaces/expand-alias.ts'
import { VERSION } from '../../src/support/version.ts'
import { shell } from './shell.ts'

/** What is typed, and what its output or that of a second command says; in an order that gives each something to do. */
const TYPED: readonly (readonly [typed: string, expected: RegExp, shownBy?: string])[] = [
  ['create task Floors', /Floors/, 'get 1'],
  ['new task Walls', /Walls/, 'get 2'],
  ['task new Roof', /Roof/, 'task get 3'],
  ['remember Bricks', /note.*Bricks/, 'get 4'],
  ['remember decision Stone', /decision.*Stone/, 'get 5'],
  ['remember component Cellar', /component.*Cellar/, 'get 6'],
  ['remember link Plans --url https://example.com', /link.*Plans/, 'get 7'],
  ['remember prompt Ask --content Say', /prompt.*Ask/, 'get 8'],
  ['note add Mortar --tag wet', /note.*Mortar/, 'get 9'],
  ['note create Sand', /note.*Sand/, 'get 10'],
  ['note new Lime', /note.*Lime/, 'get 11'],
  ['decision add Slate', /decision.*Slate/, 'get 12'],
  ['decision create Tiles', /decision.*Tiles/, 'get 13'],
  ['decision new Thatch', /decision.*Thatch/, 'get 14'],
  ['notes', /^(?!.*Slate).*Bricks.*Mortar/s],
  ['note list', /^(?!.*Slate).*Bricks.*Mortar/s],
  ['decisions --status proposed', /^(?!.*Mortar).*Slate.*Thatch/s],
  ['decision list', /^(?!.*Mortar).*Slate.*Thatch/s],
  ['show 9', /Mortar/],
  ['view 9', /Mortar/],
  ['note show 9', /Mortar/],
  ['notes get 9', /Mortar/],
  ['decision show 12', /Slate/],
  ['decisions get 12', /Slate/],
  ['task show 1', /todo: Floors/],
  ['task view 1', /todo: Floors/],
  ['edit 9 --title Cement', /Cement/, 'get 9'],
  ['note edit 9 --title Mortar', /Mortar/, 'get 9'],
  ['decision edit 12 --status accepted', /accepted/, 'get 12'],
  ['task edit 1 --title Floor', /Floor\n/, 'task get 1'],
  ['ls note', /Mortar/],
  ['task ls', /Floor.*Roof/s],
  ['task tree', /Floor.*Roof/s],
  ['tags', /^wet\t1\n$/],
  ['history 9', /title/],
  ['log', /^\S+\t#1 Floor\tentity.updated(?:.*\n){17}\S+\t#1 Floors\tentity.created\t.*\n$/],
  ['stats', /4 notes/],
  ['find mortar', /Mortar/],
  ['recall mortar', /Mortar/],
  ['dep add 3 2', /waits for: .*Walls/, 'task get 3'],
  ['blocked', /Roof/],
  ['dep rm 3 2', /^(?!.*waits for)/s, 'task get 3'],
  ['ready', /Floor.*Walls/s],
  ['next', /Floor/],
  ['assign 1 ada', /assignee: ada/, 'task get 1'],
  ['task assign 1 bo', /assignee: bo/, 'task get 1'],
  ['assign 1 kim --actor kim', /assignee: kim/, 'task get 1'],
  ['comment 1 careful', /careful/, 'message thread 1'],
  ['task comment 1 slowly', /slowly/, 'message thread 1'],
  ['comment 1 -- -1-from-me', /-1-from-me/, 'message thread 1'],
  ['claim 1', /held by/, 'task get 1'],
  ['board', /^todo \(2\)\n {2}#2 Walls\n {2}#3 Roof\n\nin progress \(1\)\n {2}#1 Floor, held by /],
  ['release 1', /given back/, 'task get 1'],
  ['start 1', /held by/, 'task get 1'],
  ['done 1 --reason swept', /done: Floor/, 'task get 1'],
  ['reopen 1', /todo: Floor/, 'task get 1'],
  ['tasks start 1', /held by/, 'task get 1'],
  ['close 1', /done: Floor/, 'task get 1'],
  ['take', /Walls/, 'board'],
  ['task done 2', /done: Walls/, 'task get 2'],
  ['task close 3', /done: Roof/, 'task get 3'],
  ['task reopen 3', /todo: Roof/, 'task get 3'],
  ['complete 3', /done: Roof/, 'task get 3'],
  ['reopen 3', /todo: Roof/, 'task get 3'],
  ['cancel 3', /cancelled: Roof/, 'task get 3'],
  ['annotate HEAD --summary Floors-carry-walls', /Floors-carry-walls/, 'code why a.ts'],
  ['why a.ts', /Floors-carry-walls/],
  ['blame a.ts', /const a/],
  ['task rm 3 --force', /^(?!.*Roof)/s, 'list task'],
  ['rm 9 --force', /^(?!.*Mortar)/s, 'list note'],
  ['note rm 10 --force', /^(?!.*Sand)/s, 'list note'],
  ['decision rm 14 --force', /^(?!.*Thatch)/s, 'list decision'],
  // Commands of their own, by the names under which people and agents look for them.
  ['inbox', /^Proposed: .*Stone/s],
  ['config', /logLevel\tinfo/],
  ['version', new RegExp(VERSION)],
  ['-v', new RegExp(VERSION)],
  ['uninstall cursor --dry-run', /./],
]

describe('aliases', () => {
  it('each does what its word says [alias-table]', async () => {
    await using sh = await shell()
    const git = (...args: string[]) => execFileSync('git', ['-C', sh.directory, ...args])
    writeFileSync(join(sh.directory, 'a.ts'), 'export const a = 1\n')
    git('add', 'a.ts')
    git('-c', 'user.name=kim', '-c', 'user.email=kim@example.com', 'commit', '-qm', 'first')
    const tried = new Set<string>()
    for (const [typed, expected, shownBy] of TYPED) {
      tried.add(expandAlias(typed.split(' ')).alias?.usage ?? typed)
      const { exit, out, err } = await sh.run(typed)
      expect([exit, err], typed).toEqual([0, ''])
      expect(shownBy === undefined ? out : (await sh.run(shownBy)).out, typed).toMatch(expected)
    }
    const all = [...ALIASES_BY_WORDS.values()].map(({ usage }) => usage)
    expect(all.filter((usage) => !tried.has(usage))).toEqual([])
  })

  it('none hides a command of its own, but `task edit` with the number of a task', () => {
    const hiding = [...ALIASES_BY_WORDS.values()].filter(({ words: [word = '', after] }) =>
      isCommand(word, after),
    )
    expect(hiding.map(({ usage }) => usage)).toEqual(['log', 'task edit <id>'])
    for (const typed of ['log 3', 'log -n 5 3', 'log 3 --limit 5', 'log --full 3', 'log --id 3'])
      expect(expandAlias(typed.split(' ')).argv, typed).toEqual(typed.split(' '))
    for (const typed of ['log -n 5', 'log --limit=5', '--json log', 'log --type task.done'])
      expect(expandAlias(typed.split(' ')).alias?.usage, typed).toBe('log')
    expect(expandAlias(['decisions', 'supersede', '3', '7']).alias).toBeUndefined()
    expect(expandAlias(['history', 'undo', 'ada', '2026-11-01']).alias).toBeUndefined()
    expect(expandAlias(['task', 'edit', '--edit', '{}']).alias).toBeUndefined()
  })

  it.each([
    ['assign', 'id: is missing; usage: waymark assign <id> <who>'],
    ['assign 1', 'who: is missing; usage: waymark assign <id> <who>'],
    ['comment 1 --severity blocker text', 'text: is missing; usage: waymark comment <id> <text>'],
    ['dep add 1', 'on: is missing'],
    ['done', "missing required argument 'id'"],
    ['done 99', 'no entity has the number or id "99"'],
    ['comment 1 two words', 'too many arguments'],
    [
      'note',
      "unknown command 'note'\n(Did you mean one of note add, note list, note show, note edit, note rm?)",
    ],
    ['history', 'waymark history undo'],
  ])('`waymark %s` is refused: %s', async (typed, message) => {
    await using sh = await shell()
    const { exit, out, err } = await sh.run(typed)
    expect(err).toContain(message)
    expect([exit === 0, out]).toEqual([false, ''])
    expect((await sh.run('events --json')).out).toContain('"events":[]')
  })

  it('the help says which command it is', async () => {
    await using sh = await shell()
    for (const typed of ['assign --help', 'help assign', 'assign 1 ada --help']) {
      const { exit, out } = await sh.run(typed)
      expect([exit, out.split('\n')[0]], typed).toEqual([
        0,
        'waymark assign <id> <who> is waymark task update --assignee=<who> <id>',
      ])
      expect(out, typed).toContain('Usage: waymark task update')
    }
  })

  it('the help of each says what it is, and that of a noun names them [alias-help]', async () => {
    await using sh = await shell()
    for (const { words, usage, meaning } of ALIASES_BY_WORDS.values()) {
      const isNoun = usage === 'history <id>' || usage === 'task edit <id>'
      if (meaning === '--version') continue
      const { exit, out } = await sh.run([...words, '--help'])
      const first = `waymark ${usage}${usage === 'log' ? ' alone' : ''} is waymark ${meaning}`
      expect([exit, out.includes(first)], usage).toEqual([0, !isNoun])
      if (words[0] === 'remember' || (words.length === 1 && !isNoun)) continue
      for (const help of [`${words[0]} --help`, `help ${words[0]}`]) {
        const group = await sh.run(help)
        expect([group.exit, group.err], help).toEqual([0, ''])
        expect(group.out, help).toContain(`  ${usage} `)
      }
    }
    expect((await sh.run('note bogus --help')).err).toContain("unknown command 'note'")
  })

  it('`edit` without anything to change opens the editor for a person, and is refused for a program', async () => {
    await using sh = await shell()
    await sh.run('add note Walls --content brick')
    const edit = async (text: string) => `${text} and stone`
    expect((await sh.run('edit 1', { edit })).err).toContain('names nothing to change')
    expect((await sh.run('edit 1', { edit, interactive: true })).exit).toBe(0)
    expect((await sh.run('get 1')).out).toContain('brick and stone')
  })
})

it('a comment is found with its task [comment-shown]', async () => {
  await using sh = await shell()
  await sh.run('task add Plan')
  await sh.run('comment 1 careful')
  const command = 'waymark message thread 1'
  for (const show of ['show 1', 'task show 1']) {
    expect((await sh.run(show)).out).toContain(`messages about it: 1: ${command}\n`)
  }
  expect((await sh.run(command.split(' ').slice(1))).out).toContain('careful')
})
