import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allOperations } from '../../src/registry.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { createRepository } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

/** Every operation as somebody types it, in an order that gives each one something to work on. */
const COMMANDS: readonly string[] = `
entity create decision Floors --status accepted
entity create note Walls --content brick
entity create prompt Ask --content Say-{{what}}
entity get 1
entity list
entity tags
entity update 2 --content stone
entity history 2
history revert 2 2 --dry-run
entity restore 2 1
entity batch --input {"operations":[{"op":"create","type":"note","title":"x"}]}
relation create 2 1 --type documents
relation list 1
entity create decision Roofs
decision supersede 1 5
brief show
status show
graph cycles
graph orphans
graph impact 1
graph around 1
graph path 2 1
graph export
graph list
graph show
cache rebuild
cache stats
prompt list
prompt render Ask --argument what=hi
search semantic walls
search query walls
search text walls
search context walls
task create Paint --lock src/** --actor kim
task create-many --input {"tasks":[{"title":"a"},{"title":"b"}]}
task get 6
task get-many --id 6 --id 7
task update 7 --title c
task list
task reorder 6 --before 7
task board
board show
lane list
insight show
job start doctor
job list
job show 1
job cancel 1
health show
health check
task tree
task blocked
task next
task ready
task check-edit src/a.ts
task reserved
task explain 6
task claim 6
task renew 6
task release 6
task claim 7 --actor kim
task take-back 7 --reason plans-have-changed
task take
task complete 6
task verify 6
task reopen 6
task defer 7 2099-01-01
task reschedule 7 2099-01-01
task context 7
task edit --force --edit {"action":"complete","id":"7"}
task cancel 8
task delete 8 --force
task import beads issues.jsonl
exchange import beads issues.jsonl
exchange export beads other.jsonl
project status
project ping
project me
project list
project schema
project stats
spec export
spec sync
agent join ada
agent hook prompt
agent heartbeat
agent list
agent leave
replica read --limit 1
replica take --input {"lines":[]}
message send hello
message list
message search hello
message get 1
message thread 6
message ack --id 1
message send hello --to owner --actor bo
message inbox
message answer m2 yes
event list
event wait --since 1
event counts
code note why
code context-set because
code context-show
code context-clear
code annotate HEAD --summary Floors-carry-walls --region {"file":"a.ts","intent":"one"}
code status
code read a.ts
code why a.ts
code show a.ts
code summary a.ts
code tree
code deps a.ts
code history a.ts
code verify
code repair
code export
code drift a.ts
code reanchor a.ts
code correct a.ts --reason wrong
code import --content {"commit_sha":"00"}
code hooks
code hooks-install
code hooks-uninstall
code hook post-commit
code merge
code forget refs/notes/other --force
code carry HEAD --from HEAD~1
snapshot create
hook install
hook status
hook uninstall
artifact add a.ts
artifact list
artifact stats
artifact show HASH
artifact get HASH -o copy.ts
artifact read HASH
artifact tag HASH --add x
artifact link HASH 1
artifact lineage HASH
artifact remove HASH --force
artifact collect
sync run
sync hook
sync unhook
backup export all.jsonl
backup import all.jsonl
store check
relation delete 2 1 --type documents --force
entity purge 2 --force
history undo nobody 2099-01-01
entity delete 4 --force
`
  .trim()
  .split('\n')

/** What is meant for programs alone. */
const FOR_PROGRAMS = new Set(['project.schema', 'code.export'])

/** Need another clone, and a worktree with a store of its own. */
const UNTRIED = ['entity.resolve', 'store.promote']

it('every operation answers a person in words', async () => {
  await using repository = createRepository()
  const { directory } = repository
  const git = (...args: string[]) => execFileSync('git', ['-C', directory, ...args])
  writeFileSync(join(directory, 'a.ts'), 'export const a = 1\n')
  writeFileSync(join(directory, 'issues.jsonl'), '{"id":"b-1","title":"x","status":"open"}\n')
  git('-c', 'user.email=a@b', 'commit', '-qm', 'one', '--allow-empty')
  git('add', '.')
  git('-c', 'user.email=a@b', 'commit', '-qm', 'two')
  const said = new Map<string, string>()
  let hash = ''
  for (const line of ['init', ...COMMANDS]) {
    const words = line.split(' ').map((word) => (word === 'HASH' ? hash : word))
    const terminal = createTestTerminal(directory, { interactive: true })
    const exit = await runCli(words, terminal)
    expect({ line, exit, err: terminal.output.err }).toEqual({ line, exit: 0, err: '' })
    hash = /cas:\/\/(\w+)/.exec(terminal.output.out)?.[1] ?? hash
    said.set(words.slice(0, 2).join('.').replaceAll('-', '_'), terminal.output.out)
  }
  const names = (await allOperations()).map(({ name }) => String(name))
  expect(names.filter((name) => !said.has(name))).toEqual(UNTRIED)
  const inBraces = [...said].filter(([, text]) => /^\s*[[{]/.test(text)).map(([name]) => name)
  expect(inBraces.filter((name) => !FOR_PROGRAMS.has(name))).toEqual([])
  const silent = [...said].filter(([, text]) => text.trim() === '').map(([name]) => name)
  // What git calls with every commit has nothing to say when there was nothing to do.
  expect(silent).toEqual(['code.hook'])
})
