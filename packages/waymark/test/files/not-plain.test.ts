import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/core/project/config.ts'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { addArtifact } from '../../src/artifact/operations.ts'
import { getArtifact } from '../../src/artifact/content/content.ts'
import { exportBackup, importBackup } from '../../src/backup/operations.ts'
import { showCode } from '../../src/annotation/read/margin.ts'
import { createSnapshot } from '../../src/snapshot/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { createFolder, createRepository, openFor } from './everywhere.ts'

test.skipIf(process.platform === 'win32')(
  'pipes, sockets, devices, folders and link loops are named as what they are, and none is waited for [not-plain-pipes-sockets]',
  async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'main'))
    await using project = await openFor(root)
    const { context } = project
    execFileSync('mkfifo', [join(root, 'pipe')])
    symlinkSync('pipe', join(root, 'link-to-pipe'))
    symlinkSync('loop', join(root, 'loop'))
    mkdirSync(join(root, 'folder'))
    await using server = createServer().listen(join(root, 'socket'))
    await once(server, 'listening')
    const problems = {
      pipe: /not a regular file \(pipe, socket or device\)/,
      'link-to-pipe': /not a regular file \(pipe, socket or device\)/,
      socket: /not a regular file \(pipe, socket or device\)/,
      folder: /is a folder/,
      loop: /symlink cycle/,
    }
    for (const [path, problem] of Object.entries(problems)) {
      const calls = [
        () => execute(context, createTask, { title: 'a task', prd_source: path }),
        () => execute(context, addArtifact, { path }),
        () => execute(context, importBackup, { path }),
        () => execute(context, importTasks, { format: 'beads', path }),
      ]
      // More than the threads that Node reads files with: one that waits for ever would hold up the rest.
      const answers = await Promise.allSettled([...calls, ...calls].map((call) => call()))
      for (const answer of answers) {
        expect(answer).toMatchObject({
          status: 'rejected',
          reason: { code: 'invalid_input', message: expect.stringMatching(problem) },
        })
      }
      await expect(execute(context, showCode, { path })).rejects.toMatchObject({
        code: 'not_found',
      })
    }
    // What lies where a snapshot wants to write is not read either.
    mkdirSync(join(root, 'snapshot'))
    await execute(context, createSnapshot, { output_dir: 'snapshot' })
    writeFileSync(join(root, 'snapshot/tasks/other.md'), '')
    execFileSync('mkfifo', [join(root, 'snapshot/tasks/pipe.md')])
    await execute(context, createSnapshot, { output_dir: 'snapshot' })
  },
)

test.skipIf(process.platform === 'win32')(
  'what is no plain file is not replaced, forced or not',
  async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'main'))
    await using project = await openFor(root)
    const { context } = project
    const agent = { ...context.agent, surface: 'cli' } as const
    const shell = { folder: root, input: async function* () {}, output: async () => {} }
    const person: Context = { ...context, agent, shell }
    execFileSync('mkfifo', [join(root, 'pipe')])
    mkdirSync(join(root, 'folder'))
    writeFileSync(join(root, 'file'), 'mine')
    for (const name of ['pipe', 'folder', 'file']) symlinkSync(name, join(root, `to-${name}`))
    const { id } = await execute(context, addArtifact, { text: 'text' })
    const tried: readonly (readonly [Context, string, RegExp])[] = [
      [context, 'pipe', /not a regular file \(pipe, socket or device\); name a file$/],
      [context, 'folder', /is a folder; name a file$/],
      [person, 'pipe', /not a regular file \(pipe, socket or device\); name a file$/],
      [person, 'folder', /is a folder; name a file$/],
      [person, 'to-pipe', /not a regular file \(pipe, socket or device\); name a file$/],
      [person, 'to-folder', /is a folder; name a file$/],
      [person, 'to-file', /is a link; name the file that it leads to$/],
    ]
    const names = readdirSync(root)
    for (const [caller, path, problem] of tried) {
      const before = lstatSync(join(root, path)).ino
      for (const force of [false, true]) {
        const refused = { code: 'invalid_input', message: expect.stringMatching(problem) as string }
        await expect(execute(caller, exportBackup, { path, force })).rejects.toMatchObject(refused)
        await expect(
          execute(caller, getArtifact, { id, output: path, force }),
        ).rejects.toMatchObject(refused)
      }
      expect(lstatSync(join(root, path)).ino).toBe(before)
    }
    expect(readdirSync(root)).toEqual(names)
  },
)

test.skipIf(process.platform === 'win32')(
  'settings that a repository has linked to a device are refused, and not read without an end [not-plain-settings-repository]',
  async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'main'))
    mkdirSync(join(root, '.waymark'))
    symlinkSync('/dev/zero', join(root, '.waymark/config.json'))
    expect(() => loadConfig(root, {})).toThrow(/is a symbolic link, which Waymark does not follow/)
    symlinkSync('/dev/zero', join(root, '.ultragit-config.toml'))
    await using project = await openFor(root)
    await expect(execute(project.context, showCode, { path: 'code.ts' })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/is a symbolic link, which Waymark does not follow/),
    })
  },
)
