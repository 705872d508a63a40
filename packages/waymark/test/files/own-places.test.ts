import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { allOperations } from '../../src/registry.ts'
import {
  CANARY,
  createFolder,
  createRepository,
  git,
  openFor,
  readCodeThrough,
  readThrough,
  writeThrough,
} from './everywhere.ts'

/** How a project can lie: where it is, and the files in it that are Git's or Waymark's own. */
const LAYOUTS: Readonly<Record<string, (folder: string) => { root: string; own: string[] }>> = {
  'a repository': (folder) => ({
    root: createRepository(join(folder, 'main')),
    own: ['.git/config', '.git/waymark/http-secret', '.git/hooks/post-commit'],
  }),
  'a linked worktree': (folder) => {
    git(createRepository(join(folder, 'main')), 'worktree', 'add', '--quiet', '../tree')
    return { root: join(folder, 'tree'), own: ['.git'] }
  },
  'a repository with a submodule': (folder) => {
    const root = createRepository(join(folder, 'main'))
    mkdirSync(join(root, 'part'))
    writeFileSync(join(root, 'part/.git'), 'gitdir: ../.git/modules/part\n')
    return { root, own: ['part/.git', '.git/modules/part/config'] }
  },
  'a repository whose Git folder has another name': (folder) => ({
    root: createRepository(join(folder, 'main'), `--separate-git-dir=${folder}/main/data`),
    own: ['data/config', 'data/waymark/http-secret', 'data/hooks/post-commit', '.git'],
  }),
  'a bare repository': (folder) => {
    const root = join(folder, 'bare')
    git(folder, 'clone', '--quiet', '--bare', createRepository(join(folder, 'main')), root)
    return { root, own: ['config', 'waymark/http-secret', 'hooks/post-commit'] }
  },
  'a folder outside Git': (folder) => {
    mkdirSync(join(folder, 'plain'))
    return { root: join(folder, 'plain'), own: ['.waymark/state/http-secret'] }
  },
}

test('every operation that takes a path is among those that are tried here [own-places-every-operation]', async () => {
  const operations = await allOperations()
  const takePaths = operations.filter(({ input }) => {
    const schema = JSON.stringify(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }))
    return /"(paths?|files?|folders?|output|output_dir|prd_source|directory)":\{/.test(schema)
  })
  const names = takePaths.map(({ name }) => name)
  const tried =
    'agent.hook artifact.add artifact.get backup.export backup.import brief.show exchange.export exchange.import ' +
    'snapshot.create task.check_edit task.create task.create_many task.import'
  expect(names.filter((name) => !name.startsWith('code.')).toSorted()).toEqual(tried.split(' '))
})

describe.each(Object.entries(LAYOUTS))('in %s', (_, layOut) => {
  test('no operation reads or replaces what is Git’s or Waymark’s own, by whatever path [own-places-operation-reads]', async () => {
    using folder = createFolder()
    const { root, own } = layOut(folder.path)
    await using project = await openFor(root)
    const before = new Map<string, string>()
    for (const path of own) {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      if (!path.endsWith('.git')) writeFileSync(file, `# ${CANARY}\n`, { flag: 'a' })
      before.set(file, readFileSync(file, 'utf8'))
    }
    const [first = ''] = own
    symlinkSync(join(root, first), join(root, 'link.md'))
    symlinkSync(join(root, dirname(first)), join(root, 'link'))
    const spellings = [`x/../${first}`, join(root, first), 'link.md', `link/${basename(first)}`]
    for (const path of [...own, ...spellings]) {
      const answers = await readThrough(project.context, path)
      expect(answers).not.toContain(CANARY)
      expect(answers).not.toContain('gitdir: ')
    }
    expect(await readCodeThrough(project.context, first)).not.toContain(CANARY)
    for (const path of own) {
      const answers = await writeThrough(project.context, path)
      expect(answers).not.toContain('answer ')
      for (const [file, text] of before) expect(readFileSync(file, 'utf8')).toBe(text)
    }
  })
})

const OWN_SOMEWHERE = [
  '.GIT/config',
  '.Git/hooks/pre-commit',
  'git~1/config',
  'GIT~2',
  '.git./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  '.g\u200cit/config',
  '.waymark/STATE/x',
  '.Waymark/state./x',
  'part/.GIT/config',
]

const LIKE_ANY_OTHER = [
  '.gitignore',
  '.github/x.md',
  'git/x.md',
  '.waymark/x.md',
  'state/x.md',
  'a.git/x.md',
  'waymark/state/x.md',
]

test('names that are Git’s or Waymark’s own on some system are so on all of them [own-places-names-git]', async () => {
  using folder = createFolder()
  const root = createRepository(join(folder.path, 'main'))
  await using project = await openFor(root)
  for (const path of OWN_SOMEWHERE) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), CANARY)
    expect(await readThrough(project.context, path)).not.toContain(CANARY)
    expect(await writeThrough(project.context, path)).not.toContain('answer ')
    expect(readFileSync(join(root, path), 'utf8')).toBe(CANARY)
  }
  expect(await readCodeThrough(project.context, 'part/.GIT/config')).not.toContain(CANARY)
  for (const path of LIKE_ANY_OTHER) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    expect(await writeThrough(project.context, path)).toContain('answer ')
    writeFileSync(join(root, path), `# ${CANARY}\n`)
    expect(await readThrough(project.context, path)).toContain(CANARY)
  }
})
