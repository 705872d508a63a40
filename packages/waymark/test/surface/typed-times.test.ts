import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shell } from './shell.ts'

const DAY = 24 * 60 * 60 * 1000

/** The local date so many days from now. */
function dateIn(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() + days)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
}

describe('a date or time on the command line', () => {
  it('is taken in words wherever there is one [typed-times]', async () => {
    await using sh = await shell()
    const json = async (words: readonly string[]) => {
      const { exit, out, err } = await sh.run([...words, '--json'])
      expect([exit, err], words.join(' ')).toEqual([0, ''])
      return JSON.parse(out)
    }
    const task = async (...words: string[]) => (await json(['task', ...words])).task
    expect(await task('add', 'A', '--due', 'tomorrow')).toMatchObject({ due_date: dateIn(1) })
    expect(await task('update', '1', '--due-date', 'in 3 days')).toMatchObject({
      due_date: dateIn(3),
    })
    expect(await task('update', '1', '--due', 'null')).not.toHaveProperty('due_date')
    expect(await task('reschedule', '1', 'next week')).toMatchObject({ due_date: dateIn(7) })
    const added = await json(['add', 'task', 'B', '--due', 'today'])
    expect(added.properties).toMatchObject({ due_date: dateIn(0) })
    const deferred = await task('update', '2', '--defer', '2h')
    expect(Date.parse(deferred.defer_until) - Date.now()).toBeGreaterThan(DAY / 13)
    const { defer_until } = await task('defer', '1', 'in 2 days')
    expect(Math.abs(Date.parse(defer_until) - Date.now() - 2 * DAY)).toBeLessThan(DAY / 12)
    const total = async (...words: string[]) => (await json(words)).total
    expect(await total('task', 'list', '--created-after', '1 hour ago')).toBe(2)
    expect(await total('task', 'list', '--created-after', 'tomorrow')).toBe(0)
    expect(await total('task', 'list', '--due-before', 'tomorrow')).toBe(1)
    expect(await total('list', '--due', 'today')).toBe(1)
    expect(await total('search', '--created-after', 'yesterday')).toBe(2)
    expect(await total('search', '--created-before', 'today')).toBe(2)
    expect(await total('search', '--created-before', 'yesterday')).toBe(0)
    expect(await total('search', 'created:>yesterday')).toBe(2)
    expect(await total('search', 'type:task created:<yesterday')).toBe(0)
    expect(await total('search', 'created:>1h type:task')).toBe(2)
    const events = async (...words: string[]) => (await json(['events', ...words])).events.length
    const all = await events()
    expect(all).toBeGreaterThan(2)
    expect(await events('--since', '1h ago')).toBe(all)
    expect(await events('2 hours ago')).toBe(all)
    expect(await events('--since', 'tomorrow')).toBe(0)
    expect(await events('--since', '1')).toBe(all - 1)
    const undone = await json(['undo', 'nobody', '1 hour ago', '--dry-run'])
    expect(undone).toMatchObject({ entities: [], authors: [expect.any(String)] })
  })

  it('the help names the forms and the short spelling [typed-times-help]', async () => {
    await using sh = await shell()
    for (const words of ['add', 'task add', 'task update']) {
      const help = (await sh.run(`${words} --help`)).out.replaceAll(/\s+/g, ' ')
      expect(help, words).toMatch(
        /--due-date <date> Date like .*? \(in words: tomorrow, friday, in 3 days\) \(also --due\)/,
      )
    }
  })

  it('means the local day, which has another date in UTC for hours [typed-times-local-day]', async () => {
    await using sh = await shell()
    await sh.run('add note Alpha')
    const zone = process.env['TZ']
    try {
      // At any moment one of the two has another date than UTC.
      for (const name of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
        process.env['TZ'] = name
        const found = async (filter: string) =>
          JSON.parse((await sh.run(['search', `alpha ${filter}`, '--json'])).out).total
        expect(await found('created:today'), name).toBe(1)
        expect(await found('created:yesterday'), name).toBe(0)
        expect(await found('created:0d'), name).toBe(1)
        for (const day of ['today', 'yesterday'])
          await sh.run(['task', 'add', `${name} ${day}`, '--due', day])
        const status = JSON.parse((await sh.run('status --json')).out)
        const overdue = status.overdue.map(({ title }: { title: string }) => title)
        expect(overdue, name).toContain(`${name} yesterday`)
        expect(overdue, name).not.toContain(`${name} today`)
      }
    } finally {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
  })

  it('`code read` takes a commit or a time', async () => {
    await using sh = await shell()
    writeFileSync(join(sh.directory, 'a.ts'), 'export const a = 1\n')
    const git = (...words: string[]) => execFileSync('git', ['-C', sh.directory, ...words])
    git('add', '.')
    git('-c', 'user.name=kim', '-c', 'user.email=kim@example.com', 'commit', '-qm', 'first')
    const commit = String(git('rev-parse', '--short', 'HEAD')).trim()
    for (const since of ['yesterday', '2 weeks ago', '2026-01-01', 'HEAD', commit]) {
      expect((await sh.run(['code', 'read', 'a.ts', '--since', since])).exit, since).toBe(0)
    }
    const { exit, err } = await sh.run('code read a.ts --since nonsense')
    expect([exit, err]).toEqual([2, expect.stringContaining('since: must be a date')])
  })

  it('`undo` takes back what was done since then', async () => {
    await using sh = await shell()
    await sh.run('add note A --actor ada')
    expect((await sh.run(['undo', 'ada', 'in 1 hour'])).exit).toBe(0)
    expect((await sh.run('list')).out).toContain('A')
    expect((await sh.run(['undo', 'ada', '10m'])).exit).toBe(0)
    expect((await sh.run('list')).out).not.toContain('A')
  })

  it('is refused with the forms that are allowed, and nothing changes [typed-times-refused]', async () => {
    await using sh = await shell()
    await sh.run('task add A')
    const before = (await sh.run('events --json')).out
    for (const [field, ...words] of [
      ['due-date', 'task', 'add', 'B', '--due', 'soon'],
      ['due-date', 'task', 'update', '1', '--due', 'tomorrow 14:00'],
      ['due-date', 'task', 'reschedule', '1', '2026-02-31'],
      ['due-date', 'add', 'task', 'B', '--due-date', 'someday'],
      ['until', 'task', 'defer', '1', 'later'],
      ['defer-until', 'task', 'add', 'B', '--defer', '3 moons'],
      ['since', 'undo', 'ada', 'ages ago'],
      ['created-after', 'task', 'list', '--created-after', '25:00'],
      ['created-before', 'search', '--created-before', 'then'],
      ['since', 'events', '--since', 'then'],
      ['since', 'events', '--since', 'then', '--follow'],
    ]) {
      const { exit, out, err } = await sh.run(words)
      expect([exit, out], words.join(' ')).toEqual([2, ''])
      expect(err, words.join(' ')).toMatch(`error: ${field}: must be a `)
      expect(err, words.join(' ')).toContain('in 3 days')
    }
    expect((await sh.run('events --json')).out).toBe(before)
  })
})

describe('a flag that has another name elsewhere', () => {
  it('is taken under both', async () => {
    await using sh = await shell()
    await sh.run('task add A --tag x --label y')
    expect((await sh.run('task get 1')).out).toContain('labels: y, x')
    await sh.run('add note B --label z')
    expect((await sh.run('get 2')).out).toContain('z')
    await sh.run('task update 1 --add-tag w')
    expect((await sh.run('tasks --tag w')).out).toContain('A')
    expect(await sh.run('task add C --due today --due-date today')).toMatchObject({
      exit: 2,
      err: expect.stringContaining("'due-date' is given twice, as --due-date and as --due"),
    })
  })
})
