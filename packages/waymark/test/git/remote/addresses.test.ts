import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/git/config/parse-config.ts'
import { checkAddress } from '../../../src/git/remote/check-address.ts'
import { parseAddress } from '../../../src/git/remote/parse-address.ts'
import { readAddressRules } from '../../../src/git/remote/rewrite-address.ts'

function git(...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', args, { encoding: 'utf8', env, stdio: 'pipe' })
}

/** A repository with a bare one in its Git folder, another one beside it, and ways from one to the other. */
function createFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-address-')))
  const root = join(folder, 'here')
  const inner = join(root, '.git', 'evil.git')
  const beside = join(folder, 'beside.git')
  git('init', '--quiet', root)
  for (const bare of [inner, beside]) git('init', '--quiet', '--bare', bare)
  const place = { root, commonDir: join(root, '.git') }
  return {
    folder,
    root,
    inner,
    beside,
    /** As an address that the repository names. */
    check: (address: string) => checkAddress(address, { place, key: 'remote.origin.url' }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

describe('an address', () => {
  it.each([
    ['https://example.com/x.git', { kind: 'network' }],
    ['ssh://example.com/x', { kind: 'network' }],
    ['git@example.com:x.git', { kind: 'network' }],
    ['[::1]:x', { kind: 'network' }],
    ['host:/x', { kind: 'network' }],
    ['/x/y.git', { kind: 'path', path: '/x/y.git' }],
    ['../a:b', { kind: 'path', path: '../a:b' }],
    ['x', { kind: 'path', path: 'x' }],
    ['file:///x/y', { kind: 'path', path: '/x/y' }],
    ['file:///proc%2Fself/%63wd', { kind: 'path', path: '/proc/self/cwd' }],
    ['file:///100%/%zz/%00', { kind: 'path', path: '/100%/%zz/%00' }],
    ['file://localhost/x', { kind: 'path', path: '//localhost/x' }],
    ['ext::sh -c x', { kind: 'helper', program: 'git-remote-ext' }],
    ['::x', { kind: 'helper', program: 'git-remote-' }],
    ['HTTPS://example.com/x', { kind: 'helper', program: 'git-remote-HTTPS' }],
    ['foo://example.com/x', { kind: 'helper', program: 'git-remote-foo' }],
  ])('%s is understood as git understands it', (address, parsed) => {
    expect(parseAddress(address)).toEqual(parsed)
  })

  it('is rewritten by the rules of one’s own settings as git does it, and only once', () => {
    using here = createFolder()
    const piece = fc.constantFrom('a:', 'a:b', 'a:b/', 'b', 'c:/', 'https://x/', '/')
    const name = fc.constantFrom('insteadOf', 'pushInsteadOf')
    const rules = fc.array(fc.tuple(piece, name, piece), { maxLength: 5 })
    fc.assert(
      fc.property(rules, fc.constantFrom('a:b/c', 'https://x/y', '/b', 'b'), (all, url) => {
        const lines = all.map(([base, key, value]) => `[url "${base}"]\n${key} = ${value}\n`)
        const config = `${lines.join('')}[remote "r"]\nurl = ${url}\n`
        writeFileSync(join(here.root, '.git', 'config'), config)
        const ask = (...args: readonly string[]) => git('-C', here.root, ...args).slice(0, -1)
        const { forFetch, forPush } = readAddressRules(parseConfig(config))
        expect(forFetch([url])).toEqual([ask('ls-remote', '--get-url', 'r')])
        expect(forPush([url], [])).toEqual([ask('remote', 'get-url', '--push', '--all', 'r')])
      }),
      { numRuns: 60 },
    )
  })

  it('from the repository’s configuration that leads into the repository is refused [addresses-repository-configuration]', () => {
    using here = createFolder()
    const { folder, root, inner } = here
    symlinkSync(inner, join(folder, 'link'))
    symlinkSync(join(root, '.git'), join(folder, 'links'))
    writeFileSync(join(folder, 'file'), `gitdir: ${inner}\n`)
    mkdirSync(join(folder, 'tree'))
    writeFileSync(join(folder, 'tree', '.git'), `gitdir: ${inner}\n`)
    mkdirSync(join(folder, 'apart', 'refs'), { recursive: true })
    writeFileSync(join(folder, 'apart', 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(folder, 'apart', 'commondir'), inner)
    git(
      '-C',
      root,
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@x',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'x',
    )
    git('-C', root, 'worktree', 'add', '--quiet', '--detach', join(folder, 'worktree'))
    for (const address of [
      inner,
      '.git/evil.git',
      '.git/evil',
      '.git/evil.git/',
      './/.git/./evil.git//',
      '.',
      root,
      join(root, '.git'),
      '../link',
      '../links/evil.git',
      '../links/../.git/evil.git',
      '../file',
      '../tree',
      '../apart',
      '../worktree',
      `file://${inner}`,
      `file://${inner.replaceAll('/', '%2F').replace('%2F', '/')}`,
      `file:/${inner}`.replace('file://', 'file:///'),
    ]) {
      expect(() => here.check(address), address).toThrow(/leads into the repository itself/)
    }
  })

  it('that leads into a repository which was itself reached through a link is refused', () => {
    using here = createFolder()
    const { folder, root, inner, beside } = here
    const alias = join(folder, 'alias')
    symlinkSync(root, alias)
    const place = { root: alias, commonDir: join(alias, '.git') }
    for (const address of [inner, '.git/evil.git', join(alias, '.git', 'evil.git')]) {
      expect(() => checkAddress(address, { place, key: 'remote.origin.url' }), address).toThrow(
        /leads into the repository itself/,
      )
    }
    expect(checkAddress('../beside.git', { place, key: 'remote.origin.url' })).toBe(beside)
  })

  it('that leads elsewhere is passed on as a real path', () => {
    using here = createFolder()
    const { folder, beside } = here
    symlinkSync(beside, join(folder, 'link'))
    for (const address of [beside, '../beside.git', '../beside', '../link', `file://${beside}/`]) {
      expect(here.check(address)).toBe(beside)
    }
    const network = 'https://example.com/x.git'
    expect(here.check(network)).toBe(network)
  })

  it('from the repository’s configuration that needs a foreign remote helper is refused', () => {
    using here = createFolder()
    for (const address of ['ext::touch x', 'fd::3', 'hg::x', 'HTTP://x', 'transport://x']) {
      expect(() => here.check(address), address).toThrow(/would start git-remote-/)
    }
  })

  it('that leads nowhere or cannot be parsed is refused', () => {
    using here = createFolder()
    for (const address of ['../nowhere', 'file:///%ff', '~nobody/x', '', '-x', 'x\ny']) {
      expect(() => here.check(address), address).toThrow()
    }
  })

  it('of a submodule that leads into the repository around it is refused', () => {
    using here = createFolder()
    const root = join(here.root, 'part')
    const commonDir = join(here.root, '.git', 'modules', 'part')
    mkdirSync(dirname(commonDir))
    git('init', '--quiet', '--separate-git-dir', commonDir, root)
    const origin = { place: { root, commonDir }, key: 'remote.origin.url' }
    expect(() => checkAddress(here.inner, origin)).toThrow(/leads into the repository itself/)
    expect(checkAddress(here.beside, origin)).toBe(here.beside)
  })
})
