import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { command } from '../surface/command.ts'

const GUIDES = new URL('../../../../docs/guides/', import.meta.url)

/** What the guides speak of as if the reader had it. */
const FILES: Readonly<Record<string, string>> = {
  'src/session/store.ts': 'export const store = new Map()\n',
  '.beads/issues.jsonl': '{"id":"bd-1","title":"Fix the login","status":"open","priority":1}\n',
  '.taskmaster/tasks/tasks.json': JSON.stringify({
    master: { tasks: [{ id: 1, title: 'Plan', status: 'pending', dependencies: [] }] },
  }),
  'backlog/tasks/task-1 - Write.md': '---\nid: task-1\ntitle: Write\nstatus: To Do\n---\n',
  'memory.jsonl':
    '{"type":"entity","name":"Ada","entityType":"person","observations":["Likes short texts"]}\n',
  'docs/adr/0001-use-sqlite.md': '# 1. Use SQLite\n\n## Status\n\nAccepted\n',
  'docs/notes/style.md': '# Style\n\nBe short.\n',
  'CLAUDE.md': '# Rules\n\nRun the tests.\n',
  '.lodestar/spec.yaml':
    'project:\n  name: a\ntasks:\n  T1:\n    title: Build\n    status: ready\n',
}

/** A repository with a commit and a remote, and a home with nothing in it. */
function createReader() {
  const { directory, ...repository } = createRepository()
  const aside = mkdtempSync(join(tmpdir(), 'waymark-guide-'))
  const git = (...words: string[]) => execFileSync('git', ['-C', directory, ...words])
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  execFileSync('git', ['init', '--quiet', '--bare', join(aside, 'origin.git')])
  git('remote', 'add', 'origin', join(aside, 'origin.git'))
  git('config', 'user.email', 'test@example.com')
  git('add', '.')
  git('commit', '--quiet', '--message', 'First')
  return {
    run: (words: readonly string[]) =>
      command(directory, words, { HOME: aside, USERPROFILE: aside }),
    [Symbol.asyncDispose]: async () => {
      await repository[Symbol.asyncDispose]()
      rmSync(aside, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

function commandsIn(guide: string): readonly string[] {
  const text = readFileSync(new URL(guide, GUIDES), 'utf8')
  return [...text.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
}

function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
}

describe('every command of a guide does what it says, in the order it stands there', () => {
  it.each(['one-agent.md', 'many-agents.md', 'supervising.md', 'teams.md', 'migrating.md'])(
    '%s',
    async (guide) => {
      await using reader = createReader()
      const commands = commandsIn(guide)
      expect(commands.length).toBeGreaterThan(5)
      for (const command of commands) {
        const [program, ...words] = wordsOf(command)
        expect(program).toBe('waymark')
        const { exit, err } = await reader.run(words)
        expect(exit, `${command}: ${err}`).toBe(0)
      }
    },
  )
})
