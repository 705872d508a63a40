import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { setup } from '../setup.ts'
import { AGENT_VARIABLES } from '../../src/surfaces/agent-host.ts'
import { WAYMARK } from './binary.ts'

const PERSON = Object.fromEntries(AGENT_VARIABLES.map((name) => [name, '']))

/** Starts `waymark ui` as the person and waits for its first line. */
async function startUi(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [WAYMARK, 'ui', ...args], {
    cwd,
    env: { ...process.env, ...PERSON, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const line = await new Promise<string>((resolve) => {
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.includes('\n')) resolve(out)
    })
    void closed.then(() => resolve(out))
  })
  return {
    line,
    err: () => err,
    closed,
    kill: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await closed
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

interface Started {
  readonly url: string
  readonly serving: boolean
}

async function signIn(address: string): Promise<string> {
  const { origin, hash } = new URL(address)
  const response = await fetch(`${origin}/ui/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: hash.replace('#key=', '') }),
  })
  return ((await response.json()) as { token: string }).token
}

it('`waymark ui` serves the page once, and its session outlives a kill on the same port [ui-command]', async () => {
  await using project = await setup()
  await using first = await startUi(project.directory, ['--json'])
  const started = JSON.parse(first.line) as Started
  const { origin } = new URL(started.url)
  expect(started.serving).toBe(true)
  const page = await fetch(`${origin}/ui/t/61`)
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  const token = await signIn(started.url)
  const ask = () =>
    fetch(`${origin}/api/project.me`, { headers: { authorization: `Bearer ${token}` } })
  expect(await (await ask()).json()).toMatchObject({ is_person: true })

  await using second = await startUi(project.directory, ['board', '--json', '--read-only'])
  const found = JSON.parse(second.line) as Started
  expect(found.url).toMatch(`${origin}/ui/board#key=`)
  expect([found.serving, await second.closed]).toEqual([false, 0])

  await first.kill('SIGKILL')
  await using third = await startUi(project.directory, ['--json'])
  const again = JSON.parse(third.line) as Started
  expect([new URL(again.url).origin, again.serving]).toEqual([origin, true])
  expect((await ask()).status).toBe(200)
})

it('opens the browser that BROWSER names, and prints the address where there is none [ui-browser]', async () => {
  if (process.platform === 'win32') return
  await using project = await setup()
  const [browser, seen] = [join(project.directory, 'browser'), join(project.directory, 'seen')]
  writeFileSync(
    browser,
    `#!/bin/sh\nprintf %s "$1" > "${seen}.tmp" && mv "${seen}.tmp" "${seen}"\n`,
  )
  chmodSync(browser, 0o755)
  const isOpened = new Promise<void>((resolve) => {
    const watching = watch(project.directory, () => {
      if (!existsSync(seen)) return
      watching.close()
      resolve()
    })
  })
  await using ui = await startUi(project.directory, [], { BROWSER: browser })
  await isOpened
  const address = readFileSync(seen, 'utf8')
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/#key=[\w-]{22}$/)
  // What stands on the screen can be seen over a shoulder, so it has no code.
  expect(ui.line).toContain(`at ${address.split('#')[0]}\n`)
  await using printed = await startUi(project.directory, ['--no-open'])
  expect(printed.line).toMatch(/^Open http:.*#key=[\w-]{22}\n {2}the address works once/)
})

it('an agent cannot open the page, and what it cannot find it says [ui-agent]', async () => {
  await using project = await setup()
  await using agent = await startUi(project.directory, [], { CLAUDECODE: '1' })
  expect([await agent.closed, agent.err()]).toEqual([
    expect.any(Number),
    expect.stringContaining('only the person can open the page'),
  ])
  await using lost = await startUi(project.directory, ['nowhere'])
  await lost.closed
  expect(lost.err()).toContain('or name a file or a view: board')
})
