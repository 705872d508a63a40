import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEntity } from '../../src/entity/operations.ts'
import { addHook, hookSync, installCodeHooks, unhookSync } from '../../src/hook/operations.ts'
import { createTeam } from './clones.ts'

test('hooks are added to what is there, work, and leave exactly what was there', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  const folder = join(ada.directory, '.git', 'hooks')
  mkdirSync(folder, { recursive: true })
  const own = '#!/bin/bash\n\necho mine >> ran\nexit 0\n'
  writeFileSync(join(folder, 'pre-push'), own)
  chmodSync(join(folder, 'pre-push'), 0o755)
  const before = readdirSync(folder)

  const both = { installed: ['post-merge', 'pre-push'], remote: 'origin' }
  expect(await ada.run(hookSync, {})).toEqual(both)
  const installed = readFileSync(join(folder, 'pre-push'), 'utf8')
  expect(await ada.run(hookSync, {})).toEqual(both)
  expect(readFileSync(join(folder, 'pre-push'), 'utf8')).toBe(installed)

  ada.git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'x', '--allow-empty')
  await ada.run(createEntity, { type: 'note', title: 'a note' })
  ada.git('push', '--quiet', 'origin', 'HEAD:main')
  expect(existsSync(join(ada.directory, 'ran'))).toBe(true)

  expect(await ada.run(unhookSync, {})).toEqual({ installed: [] })
  expect(readFileSync(join(folder, 'pre-push'), 'utf8')).toBe(own)
  expect(readdirSync(folder)).toEqual(before)
})

test.skipIf(process.platform === 'win32')(
  'a folder for hooks that leads out of the repository through a link is left alone, one in the tree is used',
  async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const folder = join(ada.directory, '.git', 'hooks')
    const outside = join(ada.directory, '..', 'outside')
    mkdirSync(outside)
    for (const target of [outside, join(outside, 'absent')]) {
      rmSync(folder, { recursive: true, force: true })
      symlinkSync(target, folder)
      const calls = [
        () => ada.run(hookSync, {}),
        () => ada.run(addHook, {}),
        () => ada.run(installCodeHooks, {}),
      ]
      for (const call of calls)
        await expect(call()).rejects.toMatchObject({
          code: 'conflict',
          details: { reason: 'hooks_elsewhere' },
        })
      expect(readdirSync(outside)).toEqual([])
    }
    rmSync(folder)
    mkdirSync(join(ada.directory, 'hooks'))
    symlinkSync('../hooks', folder)
    await ada.run(hookSync, {})
    expect(readdirSync(join(ada.directory, 'hooks'))).toEqual(['post-merge', 'pre-push'])
  },
)

test('a hook that is no shell script is left alone', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  const folder = join(ada.directory, '.git', 'hooks')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'pre-push'), '#!/usr/bin/env python3\n')
  await expect(ada.run(hookSync, {})).rejects.toMatchObject({ code: 'conflict' })
  expect(readFileSync(join(folder, 'pre-push'), 'utf8')).toBe('#!/usr/bin/env python3\n')
  expect(existsSync(join(folder, 'post-merge'))).toBe(false)
})
