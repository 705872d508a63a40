// Makes a release: a tarball and a bill of materials for each package, an MCP bundle, checksums, and where it all comes from.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundleFiles } from './release/bundle.ts'
import { type Subject, toProvenance } from './release/provenance.ts'
import { toSbom } from './release/sbom.ts'
import { toZip } from './release/zip.ts'

const HELP = `Usage: npm run release -- [options]

Packs every package into a folder, with a CycloneDX bill of materials for each, the command as an MCP bundle (.mcpb),
SHA256SUMS and a SLSA provenance statement. Needs a clean working tree and a build of it.

  --out <folder>  where to write (default: release)
  --allow-changes also pack a working tree with changes, to try it out; the provenance says so
  --publish       also publish to npm, with the registry's signed provenance (only on a CI that npm supports)
  --help          show this text
`

const root = fileURLToPath(new URL('../', import.meta.url))
const PACKAGES = ['packages/sqlite', 'packages/baton', 'packages/cas', 'packages/waymark']

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    'allow-changes': { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(HELP)
else if (values.publish && values['allow-changes']) throw new Error('--publish needs a clean tree')
else release(resolve(values.out), { mayHaveChanges: values['allow-changes'] })

function release(out: string, { mayHaveChanges }: { readonly mayHaveChanges: boolean }): void {
  const hasChanges = run('git', ['status', '--porcelain']) !== ''
  if (hasChanges && !mayHaveChanges) {
    throw new Error('the working tree has changes: commit them, or try it out with --allow-changes')
  }
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  // The commit's own time, so that the same commit gives the same files.
  const at = new Date(run('git', ['log', '-1', '--format=%cI']))
  const packed = PACKAGES.map((folder) => pack(folder, out))
  const tarballs = packed.map(({ filename }) => filename)
  const sboms = PACKAGES.map((folder, index) => {
    const file = (tarballs[index] ?? '').replace(/\.tgz$/, '.cdx.json')
    writeFileSync(join(out, file), `${toSbom(root, folder, at)}\n`)
    return file
  })
  const { filename = '', files = [] } = packed.at(-1) ?? {}
  const bundle = filename.replace(/\.tgz$/, '.mcpb')
  const paths = files.map(({ path }) => path)
  writeFileSync(join(out, bundle), toZip(bundleFiles(root, paths), at))
  const subjects = [...tarballs, ...sboms, bundle].map((name): Subject => {
    return {
      name,
      sha256: createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex'),
    }
  })
  const sums = subjects.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
  writeFileSync(join(out, 'SHA256SUMS'), sums)
  writeFileSync(
    join(out, 'provenance.intoto.json'),
    toProvenance(subjects, { ...describeBuild(), hasChanges }),
  )
  process.stdout.write(`${sums}\nwritten to ${out}\n`)
  if (!values.publish) return
  for (const tarball of tarballs) {
    run('npm', ['publish', join(out, tarball), '--provenance', '--access', 'public'])
  }
}

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

function pack(folder: string, out: string): Packed {
  const printed = run('npm', [
    'pack',
    `./${folder}`,
    '--json',
    '--silent',
    '--pack-destination',
    out,
  ])
  const [packed] = JSON.parse(printed) as [Packed]
  return packed
}

function describeBuild() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository = '' } = process.env
  const isOnCi = server !== undefined && repository !== ''
  return {
    commit: run('git', ['rev-parse', 'HEAD']),
    repository: isOnCi ? `${server}/${repository}` : '',
    builder: isOnCi ? `${server}/${repository}/actions` : 'urn:waymark:builder:local',
    node: process.version,
    npm: run('npm', ['--version']),
  }
}

function run(command: string, args: readonly string[]): string {
  // On Windows npm is a script.
  const shell = command === 'npm' && process.platform === 'win32'
  return execFileSync(command, [...args], { cwd: root, encoding: 'utf8', shell }).trim()
}
