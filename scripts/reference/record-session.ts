import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../packages/waymark/src/surfaces/cli/cli.ts'
import { processTerminal } from '../../packages/waymark/src/surfaces/terminal/terminal.ts'

/** Two agents share a decision and the work. What each command prints is recorded, not written by hand. */
const SESSION: readonly (readonly string[])[] = [
  ['add', 'decision', 'Keep sessions in SQLite', '--status', 'accepted'],
  ['task', 'add', 'Write the session store', '--priority', 'high', '--lock', 'src/session/**'],
  ['task', 'add', 'Write the login page', '--depends-on', '2'],
  ['task', 'take', '--actor', 'ada'],
  ['task', 'claim', '2', '--actor', 'bo'],
  ['task', 'check-edit', 'src/session/store.ts', '--actor', 'bo'],
  ['task', 'complete', '2', '--reason', 'Survives kill -9', '--actor', 'ada'],
  ['brief', 'sessions', '--actor', 'bo'],
]

/** Runs the session in a throw-away repository and answers it as a terminal shows it. */
export async function recordSession(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-session-'))
  try {
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', directory])
    execFileSync('git', ['-C', directory, 'config', 'user.name', 'kim'])
    await record(['init'], directory)
    let text = ''
    for (const words of SESSION) text += await record(words, directory)
    return steady(text).trimEnd()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function record(words: readonly string[], cwd: string): Promise<string> {
  let text = `$ waymark ${words.map(quoted).join(' ')}\n`
  const add = (part: string) => void (text += part)
  const plain = { interactive: true, colors: false, watched: false, columns: 100 }
  await runCli(words, { ...processTerminal(), ...plain, cwd, env: {}, out: add, err: add })
  return `${text}\n`
}

function quoted(word: string): string {
  return /[\s*]/.test(word) ? `"${word}"` : word
}

/** Ids are random and clocks go on, so both are replaced by what stays the same from one recording to the next. */
function steady(text: string): string {
  const ids = [...new Set([...text.matchAll(/(?<=\d{3} \()[0-9a-f]{7}(?=\))/g)].map(([id]) => id))]
  return ids
    .reduce((all, id, at) => all.replaceAll(id, String(at + 1).repeat(7)), text)
    .replaceAll(/(until )?\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, (_time, until?: string) =>
      until === undefined ? '2026-11-15T12:00:00.000Z' : 'until 2026-11-15T12:15:00.000Z',
    )
    .replaceAll(/\d{4}-\d{2}-\d{2}(?!T)/g, '2026-11-15')
}
