import { chmodSync, existsSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { setup } from '../setup.ts'
import { readFrames } from '../surface/event-frames.ts'
import { startServer } from './binary.ts'
import { signIn, type Started, startUi } from './ui-process.ts'

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

it('a stream that is followed over kills of its server loses and doubles nothing [ui-stream-kills]', async () => {
  await using project = await setup()
  await using agent = await startServer(project.directory)
  let ui = await startUi(project.directory, ['--json'])
  const { url } = JSON.parse(ui.line) as Started
  const headers = { authorization: `Bearer ${await signIn(url)}` }
  const { origin } = new URL(url)
  const board = await (await fetch(`${origin}/api/board.show`, { headers })).json()
  const start = (board as { cursor: number }).cursor
  const seen: number[] = []
  let cursor = start
  /** Follows until so many events were seen, or the server dies. */
  const follow = async (wanted: number): Promise<void> => {
    const address = `${origin}/api/event.stream?since=${cursor}&rows=task`
    await using stream = readFrames(await fetch(address, { headers }))
    await stream.until(({ id, data }) => {
      seen.push(...(data['events'] as [number][]).map(([event]) => event))
      cursor = id
      return seen.length >= wanted
    })
  }
  for (let kill = 1; kill <= 3; kill += 1) {
    const following = follow(Number.POSITIVE_INFINITY).catch(() => {})
    await Promise.all(agent.createAtOnce(10))
    await ui.kill('SIGKILL')
    await following
    await Promise.all(agent.createAtOnce(10))
    ui = await startUi(project.directory, ['--json'])
  }
  const { latest } = (await (await fetch(`${origin}/api/event.list`, { headers })).json()) as {
    latest: number
  }
  if (cursor < latest) await follow(latest - start)
  expect(seen).toEqual(Array.from({ length: latest - start }, (_, at) => start + 1 + at))
  expect(seen.length).toBeGreaterThanOrEqual(60)
  await ui.kill('SIGTERM')
})
