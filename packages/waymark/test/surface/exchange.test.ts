import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../files/everywhere.ts'
import { shell } from './shell.ts'

it('`waymark import` knows tools by any of their names, and a backup by its file [import-names]', async () => {
  await using sh = await shell()
  mkdirSync(join(sh.directory, '.taskmaster/tasks'), { recursive: true })
  const tasks = { master: { tasks: [{ id: 1, title: 'Plan', status: 'pending' }] } }
  writeFileSync(join(sh.directory, '.taskmaster/tasks/tasks.json'), JSON.stringify(tasks))
  const dry = '1 found in .taskmaster/tasks/tasks.json: 1 would be created, 0 would be updated'
  for (const name of ['taskmaster', 'task-master', 'Task_Master']) {
    expect(await sh.run(['import', name, '--dry-run'])).toMatchObject({
      exit: 0,
      out: expect.stringContaining(dry),
    })
    expect(await sh.run(['task', 'import', name, '--dry-run'])).toMatchObject({ exit: 0 })
  }
  for (const name of [
    'backlog',
    'backlog.md',
    'beads',
    'memory',
    'server-memory',
    'adr',
    'markdown',
  ])
    expect(await sh.run(['import', '--dry-run', name])).toMatchObject({
      exit: 3,
      err: expect.stringMatching(/^error: path: .* in the project; name the file or folder/),
    })
  await sh.run('add note One')
  await sh.run('export all.jsonl')
  expect(await sh.run('import all.jsonl')).toMatchObject({
    exit: 0,
    out: '0 created, 0 updated, 0 deleted, 0 purged, 0 relations\n',
  })
  expect(await sh.run('import jira')).toEqual({
    exit: 2,
    out: '',
    err: 'error: path: there is no such file; name a backup, or import from beads, task_master, backlog, lodestar, memory, adr, markdown\n',
  })
  const { out } = await sh.run('import --help')
  expect(out).toContain('Usage: waymark import [options] <format> [path]')
})

it('at the command line a file outside of the project may be imported [import-outside]', async () => {
  await using sh = await shell()
  const folder = mkdtempSync(join(tmpdir(), 'waymark-outside-'))
  try {
    const path = join(folder, 'memory.jsonl')
    writeFileSync(
      path,
      '{"type":"entity","name":"Ada","entityType":"person","observations":["x"]}\n',
    )
    expect(await sh.run(['import', 'memory', path])).toMatchObject({ exit: 0 })
    mkdirSync(join(folder, 'notes'))
    writeFileSync(join(folder, 'notes/a.md'), '# A\n')
    expect(await sh.run(['import', 'markdown', join(folder, 'notes')])).toMatchObject({ exit: 0 })
    const { out } = await sh.run(['get', '2', '--json'])
    const ref = expect.stringMatching(/^markdown:\.\.\/[0-9a-f]{8}\/notes\/a\.md$/)
    expect(JSON.parse(out)).toMatchObject({ properties: { external_ref: ref } })
    // Another folder of the same name, and one of the project, are not the same.
    for (const other of [join(folder, 'more/notes'), join(sh.directory, 'notes')]) {
      mkdirSync(other, { recursive: true })
      writeFileSync(join(other, 'a.md'), '# B\n')
      expect(await sh.run(['import', 'markdown', other])).toMatchObject({
        out: expect.stringContaining('1 created, 0 updated'),
      })
    }
    expect(await sh.run(['import', 'markdown', join(folder, 'notes')])).toMatchObject({
      out: expect.stringContaining('1 unchanged'),
    })
    expect(await sh.run(['import', 'memory', folder])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('path: the path is a folder; name a file'),
    })
    // Without a format it can only be a backup.
    for (const [path, problem] of [
      [folder, 'is a folder, not a backup'],
      [join(folder, 'notes/a.md'), 'is not a backup'],
    ] as const) {
      expect(await sh.run(['import', path], { columns: 1000 })).toMatchObject({
        exit: 2,
        err: expect.stringContaining(
          `path: ${problem}; \`waymark import <format> <path>\` takes in files of beads, `,
        ),
      })
    }
    expect(await sh.run(['import', 'memory', '.git/config'])).toMatchObject({
      err: expect.stringContaining('the path is inside .git'),
    })
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
})

it.skipIf(process.platform === 'win32')(
  'a named pipe is neither read nor waited for [import-pipe]',
  async () => {
    await using sh = await shell()
    const folder = mkdtempSync(join(tmpdir(), 'waymark-outside-'))
    try {
      const pipe = join(folder, 'issues.jsonl')
      execFileSync('mkfifo', [pipe])
      expect(await sh.run(['import', 'beads', pipe])).toMatchObject({
        exit: 2,
        err: expect.stringContaining('path: the path is not a regular file'),
      })
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    }
  },
)

it('`waymark export` writes for a tool by its name, and a backup to any other file [export-names]', async () => {
  await using sh = await shell()
  await sh.run('task add Plan --lock src/**')
  await sh.run('add link Docs --url https://example.com')
  expect(await sh.run('export backlog.md --dry-run')).toEqual({
    exit: 0,
    err: '',
    out: [
      'would be written to backlog: 1 task, 0 decisions, 0 notes in 1 file',
      '- a link has no place in Backlog.md',
      '- field locks has no place in Backlog.md',
      '',
    ].join('\n'),
  })
  expect(await sh.run('export beads out.jsonl --json')).toMatchObject({ exit: 0 })
  expect(await sh.run('export beads out.jsonl')).toMatchObject({
    exit: 4,
    err: expect.stringContaining('path: the file exists; pass --force to replace it'),
  })
  expect(await sh.run('export out.jsonl --force')).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/^2 entities in out.jsonl/),
  })
  const { out } = await sh.run('export --help')
  expect(out).toContain('Usage: waymark export [options] <format> [path]')
})

it('files that are typed in a subfolder are those of the subfolder [exchange-typed-paths]', async () => {
  await using sh = await shell()
  const folder = join(sh.directory, 'sub')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.md'), '# A\n')
  const run = (words: string) => sh.run(words, { cwd: folder })
  expect(await run('import md a.md')).toMatchObject({ exit: 0 })
  expect(await run('get 1 --json')).toMatchObject({
    out: expect.stringContaining('"external_ref":"markdown:sub/a.md"'),
  })
  await run('task add Plan')
  const names = ['out.jsonl', 'all.jsonl', 'plan']
  expect(await run('export beads out.jsonl')).toMatchObject({ exit: 0 })
  expect(await run('export all.jsonl')).toMatchObject({ exit: 0 })
  expect(await run('export backlog plan')).toMatchObject({ exit: 0 })
  expect(names.filter((name) => existsSync(join(folder, name)))).toEqual(names)
  expect(names.filter((name) => existsSync(join(sh.directory, name)))).toEqual([])
  expect(await run('import all.jsonl')).toMatchObject({ exit: 0 })
  // The usual places are those of the project.
  expect(await run('export beads')).toMatchObject({ exit: 0 })
  expect(existsSync(join(sh.directory, '.beads/issues.jsonl'))).toBe(true)
})

it('an export to a path in the project follows no link out of it and reaches nothing of Git [export-inside]', async () => {
  await using sh = await shell()
  using outside = createFolder()
  symlinkSync(outside.path, join(sh.directory, '.beads'))
  const paths = ['', '.beads/issues.jsonl', '.beads/new/issues.jsonl']
  for (const words of paths.flatMap((path) => [path, `${path} --force`])) {
    for (const run of [words, `${words} --dry-run`]) {
      expect(await sh.run(`export beads ${run}`), run).toMatchObject({
        exit: 1,
        err: 'error: path: the path leads out of the project\n',
      })
    }
  }
  expect(readdirSync(outside.path)).toEqual([])
  expect(await sh.run('export beads .git/hooks/pre-commit')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('inside .git'),
  })
  // A path out of the project is the choice of the user.
  expect(await sh.run(['export', 'beads', join(outside.path, 'a.jsonl')])).toMatchObject({
    exit: 0,
  })
  expect(readdirSync(outside.path)).toEqual(['a.jsonl'])
})

it.each([
  ['beads', 'nowhere/issues.jsonl', 'there is no folder for this file; make it first'],
  ['beads', '.git/issues.jsonl', 'the path is inside .git or Waymark’s state folder'],
  ['beads', '.beads/issues.jsonl', 'the path leads through something that is no folder'],
  ['beads', 'folder', 'the path is a folder; name a file'],
  ['backlog', 'plan', 'tasks is no folder'],
])(
  'an export of %s to %s is refused in a dry run as it would be in earnest, and writes nothing [export-dry-run]',
  async (format, path, problem) => {
    await using sh = await shell()
    await sh.run('task add Plan')
    for (const name of ['folder', 'plan', 'elsewhere']) mkdirSync(join(sh.directory, name))
    symlinkSync('../elsewhere', join(sh.directory, 'plan/tasks'))
    writeFileSync(join(sh.directory, '.beads'), '')
    const before = readdirSync(sh.directory, { recursive: true })
    const dry = await sh.run(`export ${format} ${path} --dry-run --force`)
    expect(dry).toMatchObject({ err: expect.stringContaining(problem) })
    expect(await sh.run(`export ${format} ${path} --force`)).toMatchObject(dry)
    expect(readdirSync(sh.directory, { recursive: true })).toEqual(before)
  },
)
