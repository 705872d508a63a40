import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'
import { createFolder, createWorkspace } from './workspace.ts'

describe('a full disk', () => {
  // A mount that ends with its process; not every machine allows it.
  const namespace = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])]
  const inTmpfs = (options: string) => [
    ...namespace,
    'sh',
    '-c',
    `mount -t tmpfs -o ${options} none "$0" && exec "$@"`,
  ]
  const isPossible = spawnSync('unshare', [...inTmpfs('size=3m'), '/mnt', 'true']).status === 0

  test.skipIf(!isPossible)(
    'refuses the write, keeps the rest, and recovers [disk-refuses-write]',
    () => {
      using folder = createFolder()
      const command = [
        ...inTmpfs('size=3m'),
        folder.path,
        process.execPath,
        program('filler'),
        folder.path,
      ]
      const outcome = JSON.parse(execFileSync('unshare', command, { encoding: 'utf8' })) as {
        acknowledged: number
      }
      const { acknowledged } = outcome
      expect(acknowledged).toBeGreaterThan(0)
      expect(outcome).toEqual({
        code: 'storage_full',
        acknowledged,
        total: acknowledged,
        number: acknowledged + 1,
        latest: acknowledged + 1,
      })
    },
  )

  test.skipIf(!isPossible)(
    'is one that has room for bytes and none for files, and what was begun there can be completed [disk-room-bytes]',
    () => {
      using folder = createFolder()
      const disk = inTmpfs('size=30m,nr_inodes=30')
      const command = [...disk, folder.path, process.execPath, program('crowded'), folder.path]
      expect(JSON.parse(execFileSync('unshare', command, { encoding: 'utf8' }))).toEqual({
        begun: 'storage_full',
        openedHalf: 'not_initialised',
        begunWithRoom: 'done',
        opened: 'storage_full',
        openedWithRoom: 'done',
      })
    },
  )

  test('refuses what is too large, and none of the small writes that shared its transaction', async () => {
    await using workspace = await createWorkspace()
    const database = await workspace.openDatabase()
    const insert = (name: string) =>
      database.write(async (tx) => {
        // As full as a disk can be: the database may not grow by a single page, in whichever connection.
        await tx.run('PRAGMA max_page_count = 1')
        return await tx.run('INSERT INTO counter (name, value) VALUES (?, 7)', [name])
      })

    const names = ['a', 'b', 'c'.repeat(100_000), 'd']
    const results = await Promise.allSettled(names.map(insert))
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(results[2]).toMatchObject({ reason: { code: 'storage_full' } })

    const kept = await database.all<{ name: string }>(
      'SELECT name FROM counter WHERE value = 7 ORDER BY name',
    )
    expect(kept).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'd' }])
    expect(await insert('e')).toBe(1)
  })

  test('does not let a write go on outside its transaction', async () => {
    await using workspace = await createWorkspace()
    const database = await workspace.openDatabase()
    const insert = 'INSERT INTO counter (name, value) VALUES (?, 7)'
    const stubborn = database.write(async (tx) => {
      await tx.run('PRAGMA max_page_count = 1')
      await expect(tx.run(insert, ['x'.repeat(100_000)])).rejects.toMatchObject({
        code: 'storage_full',
      })
      await tx.run(insert, ['alone'])
    })
    await expect(stubborn).rejects.toMatchObject({ code: 'internal' })
    expect(await database.all('SELECT name FROM counter WHERE value = 7')).toEqual([])
  })
})

const hasTracer = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0

describe('a failing disk', () => {
  test.skipIf(!hasTracer)('is reported, and no acknowledged write is lost', async () => {
    await using workspace = await createWorkspace()
    const fault = ['-e', 'inject=fsync,fdatasync:error=EIO:when=9+9']
    const survivor = [process.execPath, program('survivor'), workspace.stateDir]
    const command = [
      '-f',
      '-qq',
      '-e',
      'trace=fsync,fdatasync',
      ...fault,
      '-o',
      '/dev/null',
      ...survivor,
    ]
    const outcome = JSON.parse(execFileSync('strace', command, { encoding: 'utf8' })) as {
      failures: string[]
      acknowledged: number
    }
    const { failures, acknowledged } = outcome
    expect(new Set(failures)).toEqual(new Set(['storage_unavailable']))
    expect(failures.length + acknowledged).toBe(60)
    expect(outcome).toMatchObject({ lost: 0, kept: acknowledged, latest: acknowledged })
  })
})

describe('a quota that is used up', () => {
  const fault = ['-e', 'trace=pwrite64', '-e', 'inject=pwrite64:error=EDQUOT:when=40..99']
  // Older tracers know no end of a fault.
  const isPossible = hasTracer && spawnSync('strace', [...fault, 'true']).status === 0

  test.skipIf(!isPossible)(
    'is a full disk, and is over when there is room again [disk-full-over]',
    async () => {
      await using workspace = await createWorkspace()
      const survivor = [process.execPath, program('survivor'), workspace.stateDir]
      const command = ['-f', '-qq', ...fault, '-o', '/dev/null', ...survivor]
      const outcome = JSON.parse(execFileSync('strace', command, { encoding: 'utf8' })) as {
        failures: string[]
        acknowledged: number
      }
      const { failures, acknowledged } = outcome
      // The last of them may be looked into when there is room already.
      expect(new Set(failures.slice(0, -1))).toEqual(new Set(['storage_full']))
      expect(acknowledged).toBeGreaterThan(0)
      expect(failures.length + acknowledged).toBe(60)
      expect(outcome).toMatchObject({ lost: 0, kept: acknowledged, latest: acknowledged })
    },
  )
})

describe('a file system without locks', () => {
  test.skipIf(!hasTracer)('is named as one [disk-named]', async () => {
    await using workspace = await createWorkspace()
    const files = ['-P', workspace.database, '-P', `${workspace.database}-shm`]
    const fault = ['-e', 'trace=fcntl', '-e', 'inject=fcntl:error=EOPNOTSUPP']
    const command = ['-f', '-qq', ...files, ...fault, '-o', '/dev/null', process.execPath]
    const { stdout, stderr } = spawnSync(
      'strace',
      [...command, program('survivor'), workspace.stateDir],
      { encoding: 'utf8' },
    )
    expect(stdout + stderr).toMatch(/storage_unavailable/)
    expect(stderr).toMatch(/keep the repository on a local disk/)
  })
})

describe('a power cut', () => {
  test.skipIf(!hasTracer)('finds every acknowledged write on the disk', async () => {
    await using workspace = await createWorkspace()
    using folder = createFolder()
    const trace = join(folder.path, 'trace')
    const calls = 'trace=write,pwrite64,fsync,fdatasync'
    const writer = [process.execPath, program('acknowledger'), workspace.stateDir]
    execFileSync('strace', ['-f', '-qq', '-y', '-e', calls, '-o', trace, ...writer])

    const steps = readFileSync(trace, 'utf8').split('\n').map(toStep).filter(Boolean).join('')
    // Whatever was written to the log is flushed before the acknowledgement leaves the process.
    expect(steps).toMatch(/^(w+f+w*f*a)+[wf]*$/)
    expect(steps).not.toMatch(/wa/)
    expect(steps.match(/a/g)).toHaveLength(20)
  })
})

function toStep(line: string): 'w' | 'f' | 'a' | undefined {
  if (/ pwrite64\(.*waymark\.db-wal>/.test(line)) return 'w'
  if (/ f(data)?sync\(.*waymark\.db-wal>/.test(line)) return 'f'
  return line.includes('"acknowledged') ? 'a' : undefined
}

function program(name: string): string {
  return bundleProgram(new URL(`processes/${name}.ts`, import.meta.url))
}
