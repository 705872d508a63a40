import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ORDINARY_TESTS } from '../../../../proof/ordinary-tests.ts'
import { VERSION } from '../../src/version.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const GUIDES = readdirSync(`${root}docs/guides`)

/** Everything between backticks that looks like a path of this repository. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, path]) => path ?? '')
  return quoted.filter((path) => /^(packages|scripts|bench|proof|docs|examples|\.ci)\//.test(path))
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

  it('the demo it shows runs to its end', () => {
    const out = execFileSync('npx', ['tsx', 'scripts/demo.ts'], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    })
    expect(out).toContain('claimed: #2 in_progress p250 Write the session store')
    expect(out).toContain('Claim #4.')
    expect(out).toMatch(/002 \S+\ttask\tin_progress\tWrite the session store/)
    expect(out).toContain('In your own repository')
  })

  it('the commands it shows for a repository of one’s own work as written', async () => {
    const { createRepository } = await import('../setup.ts')
    const { WAYMARK } = await import('../e2e/binary.ts')
    await using repository = createRepository()
    const [, block = ''] = /```sh\n(waymark init\n[^`]*)```/.exec(read('README.md')) ?? []
    const lines = block.trim().split('\n')
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) {
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, word]) => quoted ?? word ?? '',
      )
      execFileSync(process.execPath, [WAYMARK, ...words.slice(1)], { cwd: repository.directory })
    }
    const out = execFileSync(process.execPath, [WAYMARK, 'relation', 'list', '2'], {
      cwd: repository.directory,
      encoding: 'utf8',
    })
    expect(out).toContain('implements')
  })
})

/** Lines of a table that name a file and what to look for in it. */
function rowsOf(page: string) {
  return read(page)
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter((cells) => /^`?(packages|examples|proof)\/.*\.ts`?$/.test(cells[2] ?? ''))
    .map(([, line = '', file = '', title = '']) => ({
      page,
      line,
      file: file.replaceAll('`', ''),
      title: title.replaceAll('`', '').replaceAll('\\|', '|'),
    }))
}

describe('the proof of coverage', () => {
  const folder = `${root}docs/coverage/`
  const pages = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
  const rows = pages.flatMap((page) => rowsOf(`docs/coverage/${page}`))

  const promises = rowsOf('SECURITY.md')

  it('SECURITY.md names what tries each promise', () => {
    expect(promises.length).toBeGreaterThan(20)
  })

  it.each([...rows, ...promises])('$page: $line', ({ file, title }) => {
    expect(existsSync(`${root}${file}`), `${file} exists`).toBe(true)
    expect(read(file).replaceAll(/[\\`]/g, '')).toContain(title.replaceAll('\\', ''))
  })

  it.each(ORDINARY_TESTS)('the report of proofs: $what', ({ file, title, count = '' }) => {
    expect(existsSync(`${root}${file}`), `${file} exists`).toBe(true)
    expect(read(file)).toContain(title)
    expect(read(file)).toContain(count)
  })

  it('docs/coverage.md links every page', () => {
    for (const page of pages) expect(read('docs/coverage.md')).toContain(`coverage/${page}`)
  })
})

it('the version is that of the package', () => {
  expect(JSON.parse(read('packages/waymark/package.json'))).toMatchObject({ version: VERSION })
})
