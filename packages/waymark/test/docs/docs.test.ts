import { execFileSync, execSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ORDINARY_TESTS } from '../../../../proof/ordinary-tests.ts'
import { VERSION } from '../../src/support/version.ts'
import { idsIn } from './test-ids.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const GUIDES = readdirSync(`${root}docs/guides`)

/** Everything between backticks that looks like a path of this repository. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, path]) => path ?? '')
  return quoted.filter((path) =>
    /^(packages|scripts|bench|lab|proof|docs|examples|\.ci)\//.test(path),
  )
}

function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path ?? '')
}

describe('the documents', () => {
  it.each([
    'docs/ARCHITECTURE.md',
    'AGENTS.md',
    'CONTRIBUTING.md',
    'README.md',
    'docs/README.md',
    'docs/hosts.md',
    'docs/reference/settings.md',
    ...GUIDES.map((guide) => `docs/guides/${guide}`),
    'SECURITY.md',
  ])('%s names only files that exist', (document) => {
    const text = read(document)
    const base = document.includes('/') ? document.slice(0, document.lastIndexOf('/') + 1) : ''
    const named = [...pathsIn(text), ...linksIn(text).map((link) => `${base}${link}`)]
    expect(named.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
  })

  it('docs/README.md links every guide', () => {
    for (const guide of GUIDES) expect(read('docs/README.md')).toContain(`(guides/${guide})`)
  })

  it('the architecture page says once what each folder holds', () => {
    const [, parts = ''] = /## The parts\n([^]*?)\n## /.exec(read('docs/ARCHITECTURE.md')) ?? []
    const named = [...parts.matchAll(/^\| `([^`]+)`/gm)].map(([, folder]) => folder ?? '')
    const foldersIn = (path: string) =>
      readdirSync(`${root}${path}`, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${path}/${name}`)
    const folders = [
      ...foldersIn('packages').filter((path) => path !== 'packages/waymark'),
      ...foldersIn('packages/waymark/src'),
      ...foldersIn('examples'),
      'bench',
      'integrations',
      'lab',
      'proof',
      'scripts',
    ]
    expect(named.toSorted()).toEqual(folders.toSorted())
  })

  it('the architecture page walks through at least eight files', () => {
    expect(
      pathsIn(read('docs/ARCHITECTURE.md')).filter((path) => path.endsWith('.ts')).length,
    ).toBeGreaterThan(8)
  })

  it('AGENTS.md stays short, and CLAUDE.md points to it', () => {
    expect(read('AGENTS.md').split('\n').length).toBeLessThan(150)
    expect(read('CLAUDE.md')).toContain('(AGENTS.md)')
  })

  it('every dependency has its three lines', () => {
    const reasons = read('docs/decisions/dependencies.md')
    const names = ['packages/baton', 'packages/waymark'].flatMap((folder) => {
      const { dependencies = {} } = JSON.parse(read(`${folder}/package.json`)) as {
        dependencies?: Record<string, string>
      }
      return Object.keys(dependencies).filter((name) => !name.startsWith('@waymark/'))
    })
    for (const name of names) expect(reasons).toContain(`**${name}**`)
  })
})

describe('the README', () => {
  it('shows the two commands, and CI runs exactly the second', () => {
    const commands = [...read('README.md').matchAll(/^npm ci && npm .*$/gm)].map(
      ([command]) => command,
    )
    expect(commands).toEqual(['npm ci && npm run demo', 'npm ci && npm test'])
    expect(read('.ci/run')).toContain('npm ci && npm test')
  })

  it('CI also runs every proof in its short form', () => {
    const shards = [...read('.ci/run').matchAll(/npm run --silent prove -- (.*) >/g)]
    expect(shards.map(([, options]) => options)).toEqual(['--shard 1/2', '--shard 2/2'])
  })

  it('the commands it shows for a repository of one’s own work as written', async () => {
    const { createRepository } = await import('../setup.ts')
    await using repository = createRepository()
    using person = createPerson()
    const [, install = ''] = /^npm run build && (npm install .*)$/m.exec(read('README.md')) ?? []
    person.run(`${install} --offline --prefix "${person.prefix}" --cache "${person.home}"`, root)
    const [, block = ''] = /```sh\n(waymark init\n[^`]*)```/.exec(read('README.md')) ?? []
    const lines = block.trim().split('\n')
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) person.run(line, repository.directory)
    expect(person.run('waymark relation list 2', repository.directory)).toContain('implements')
    const [, entry = ''] = /```json\n([^`]*)```/.exec(read('README.md')) ?? []
    writeFileSync(join(repository.directory, '.mcp.json'), entry)
    // On Windows hosts cannot start the batch file that npm makes; `waymark install` knows.
    if (process.platform !== 'win32')
      expect(person.run('waymark doctor', repository.directory)).toMatch(/Claude Code.*tools/)
  })
})

/** Somebody with a home of their own, and folders of npm's of their own, so that nothing of this machine's is touched. */
function createPerson() {
  const home = mkdtempSync(join(tmpdir(), 'waymark-person-'))
  const prefix = join(home, 'npm')
  const bin = process.platform === 'win32' ? prefix : join(prefix, 'bin')
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: '',
    APPDATA: join(home, 'AppData'),
  }
  return {
    home,
    prefix,
    run: (line: string, cwd: string) =>
      execSync(line, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true, maxRetries: 10 }),
  }
}

describe('what npm is told to fetch is a folder, an exact version or a tool of this clone', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as {
    devDependencies: Record<string, string>
  }
  /** Nothing of ours is published: whoever takes the name could publish any version of it. */
  const isSafe = (what: string) =>
    /^\.{0,2}\//.test(what) ||
    /^(?!waymark@).+@\d+\.\d+\.\d+$/.test(what) ||
    what in devDependencies
  const FETCH = /\b(?:npx|npm (?:install|i|exec|x|add))(?: +-[\w-]+)* +([\w@./-]+)/g
  /** `['npx', '-y', 'name']` as `npx -y name`. */
  const joined = (text: string) => text.replaceAll(/['"`],\s*['"`]/g, ' ')

  it('as running text or as a list of words', () => {
    const fetched = [
      'npx -y waymark@0.1.0',
      "['npx', '-y', `waymark@${VERSION}`]",
      '"npx",\n  "waymark"',
    ]
    for (const text of fetched) {
      const [what = ''] = [...joined(text).matchAll(FETCH)].map(([, name = '']) => name)
      expect([text, what, isSafe(what)]).toEqual([text, expect.stringMatching(/^waymark/), false])
    }
  })

  const below = (folder: string) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path}`)
      .filter((path) => /\.(?:md|ts)$/.test(path))
  const pages = readdirSync(root).filter((name) => name.endsWith('.md'))
  const readmes = readdirSync(`${root}packages`).map((name) => `packages/${name}/README.md`)

  it.each([
    ['documents', [...pages, ...readmes, ...below('docs')]],
    ['whatever the command prints', below('packages/waymark/src')],
  ])('in %s', (_where, files) => {
    expect(files.length).toBeGreaterThan(30)
    const unsafe = files.flatMap((file) =>
      [...joined(read(file)).matchAll(FETCH)]
        .filter(([, what = '']) => !isSafe(what))
        .map(([words]) => `${file}: ${words}`),
    )
    expect(unsafe).toEqual([])
  })
})

/** Lines of a table that name a file and what to look for in it. */
function rowsOf(page: string) {
  return read(page)
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter((cells) => /^`?(packages|examples|proof)\/.*\.ts`?$/.test(cells[2] ?? ''))
    .map(([, line = '', file = '', id = '']) => ({
      page,
      line,
      file: file.replaceAll('`', ''),
      id: id.replaceAll('`', ''),
    }))
}

const idsByFile = new Map<string, readonly string[]>()
function idsOf(file: string): readonly string[] {
  const ids = idsByFile.get(file) ?? idsIn(read(file))
  idsByFile.set(file, ids)
  return ids
}

describe('the proof of coverage', () => {
  const folder = `${root}docs/coverage/`
  const pages = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
  const rows = pages.flatMap((page) => rowsOf(`docs/coverage/${page}`))

  const promises = rowsOf('SECURITY.md')

  it('SECURITY.md names what tries each promise', () => {
    expect(promises.length).toBeGreaterThan(20)
  })

  it.each([...rows, ...promises])('$page: $line', ({ file, id }) => {
    expect(idsOf(file), 'ids of tests that run in this file').toContain(id)
  })

  it.each(ORDINARY_TESTS)('the report of proofs: $what', ({ file, id, count = '' }) => {
    expect(idsOf(file)).toContain(id)
    expect(read(file)).toContain(count)
  })

  it('no two tests have the same id', () => {
    const listed = ['ls-files', '-co', '--exclude-standard', '*.test.ts']
    const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).trim().split('\n')
    const ids = files.flatMap(idsOf)
    expect(ids.length).toBeGreaterThan(400)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  it('an id is that of a test that runs, or of a proof', () => {
    const source = `
      // it('in a comment [in-comment]')
      describe('a group [group]', () => {
        it('runs [run]', () => expect('in a test [in-text]').toBe(''))
        it('has none', () => {})
        it('has it [in-between] elsewhere', () => {})
        it.each([['one', 1], ['two', 2]] as const)('%s is tried [each]', () => {})
        test(\`of \${count} none is left [template]\`, () => {})
        it.skip('is left out [skip]', () => {})
        it.todo('is missing [todo]')
      })
      describe.skip('all of these', () => { it('is left out too [skipped-too]', () => {}) })
      const proof = { id: 'kills', promise: 'Nothing is lost' }
      const other = { id: 'other' }`
    expect(idsIn(source)).toEqual(['group', 'run', 'each', 'template', 'kills'])
  })

  it('docs/coverage.md links every page', () => {
    for (const page of pages) expect(read('docs/coverage.md')).toContain(`coverage/${page}`)
  })
})

it('the version is that of the package', () => {
  expect(JSON.parse(read('packages/waymark/package.json'))).toMatchObject({ version: VERSION })
})
