import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { Metrics } from '../../src/surfaces/http/metrics.ts'
import { parsePath } from '../../src/surfaces/http/site-path.ts'
import { command } from '../surface/command.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const settings = read('docs/reference/settings.md')

/** The stages of a Dockerfile, each a list of instructions with its first word apart. */
function stagesOf(text: string): [string, string][][] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  const instructions = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const stages: [string, string][][] = []
  for (const line of instructions) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    expect(word, line).toMatch(
      /^(FROM|WORKDIR|COPY|RUN|ENV|USER|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/,
    )
    if (word === 'FROM') stages.push([])
    stages.at(-1)?.push([word, rest])
  }
  return stages
}

async function assertServes(args: readonly string[]): Promise<void> {
  const { out } = await command(root, ['serve', '--help'])
  expect(args[0]).toBe('serve')
  const flags = args.filter((word) => word.startsWith('--'))
  expect(flags.filter((flag) => !out.includes(`${flag} `) && !out.includes(`${flag},`))).toEqual([])
}

it('the image runs the command as another user than root, with files that exist [deploy-image]', async () => {
  const stages = stagesOf(read('deploy/Dockerfile'))
  const last = new Map(stages.at(-1))
  expect(last.get('FROM')).toMatch(/^gcr\.io\/distroless\/.+:nonroot$/)
  expect(Number(last.get('USER')?.split(':')[0])).toBeGreaterThan(0)
  const [node, program] = JSON.parse(last.get('ENTRYPOINT') ?? '[]') as [string, string]
  expect(node).toBe('/nodejs/bin/node')
  expect(existsSync(`${root}${program.replace('/app/', '')}`)).toBe(true)
  await assertServes(JSON.parse(last.get('CMD') ?? '[]') as string[])
  expect(last.get('HEALTHCHECK')).toContain(`127.0.0.1:${last.get('EXPOSE')}/ready`)
  const copied = stages.flat().filter(([word, rest]) => word === 'COPY' && !rest.startsWith('--'))
  for (const [, rest] of copied)
    for (const path of rest.split(' ').slice(0, -1))
      expect(existsSync(root + path), path).toBe(true)
})

interface Container {
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string }[]
  readonly securityContext: object
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } }
}

it('the manifests have two replicas that own nothing, and name what the server has [deploy-kubernetes]', async () => {
  const documents = parseAllDocuments(read('deploy/kubernetes/waymark.yaml'))
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  const byKind = new Map(
    documents.map((one) => one.toJS() as { kind: string }).map((one) => [one.kind, one] as const),
  )
  expect([...byKind.keys()].toSorted()).toEqual(
    'ConfigMap Deployment Ingress Job PodDisruptionBudget Service'.split(' '),
  )
  const { spec } = byKind.get('Deployment') as unknown as {
    spec: { replicas: number; selector: object; template: { metadata: object; spec: object } }
  }
  const pod = spec.template.spec as { containers: [Container]; securityContext: object }
  const [container] = pod.containers
  expect(spec.replicas).toBe(2)
  expect(spec.template.metadata).toMatchObject({
    labels: (spec.selector as { matchLabels: object }).matchLabels,
  })
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true })
  expect(container.securityContext).toMatchObject({
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.readinessProbe?.httpGet.path).toBe('/ready')
  await assertServes(container.args)
  const { data } = byKind.get('ConfigMap') as unknown as { data: Record<string, string> }
  for (const name of [...Object.keys(data), ...container.env.map(({ name }) => name)].filter(
    (name) => name !== 'POD_IP',
  ))
    expect(settings, name).toContain(`\`${name}\``)
})

it('the composition starts a database, an issuer and the server with settings that exist [deploy-compose]', async () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<
      string,
      {
        command: string[]
        environment: Record<string, string>
        read_only?: boolean
        depends_on: object
      }
    >
    volumes: object
  }
  expect(Object.keys(services)).toEqual(['db', 'issuer', 'admin', 'replica'])
  const { replica, admin } = services
  expect(replica).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  await assertServes(replica?.command ?? [])
  expect(admin?.command).toEqual(['init', 'demo'])
  for (const name of Object.keys(replica?.environment ?? {}))
    expect(settings).toContain(`\`${name}\``)
  for (const { depends_on: needed = {} } of Object.values(services))
    for (const name of Object.keys(needed)) expect(Object.keys(services)).toContain(name)
  expect(Object.keys(volumes)).toEqual(['data'])
})

it('the dashboard asks for figures that the server exports, and for no others [deploy-dashboard]', () => {
  const metrics = new Metrics()
  metrics.request({ part: 'api', method: 'GET', status: 200 }, 0.1)
  metrics.operation({ operation: 'task.list', outcome: 'ok' }, 0.1)
  metrics.session({ kind: 'created' } as Parameters<Metrics['session']>[0])
  const text = metrics.toText()
  const exported = new Set([...text.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name))
  const labels = new Set([...text.matchAll(/(\w+)="/g)].map(([, name]) => name))
  const { panels } = JSON.parse(read('deploy/grafana/waymark.json')) as {
    panels: { title: string; targets: { expr: string }[] }[]
  }
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const names = expressions.flatMap((expr) => [...expr.matchAll(/\b(?:waymark|process)_\w+/g)])
  expect(names.map(([name]) => name).filter((name) => !exported.has(name))).toEqual([])
  const asked = expressions.flatMap((expr) =>
    [...expr.matchAll(/(\w+)=~?"/g)].map(([, name]) => name),
  )
  // The job is a label that Prometheus adds.
  expect(asked.filter((name) => name !== 'job' && !labels.has(name))).toEqual([])
  const used = [...exported].filter((name) => !expressions.join().includes(String(name)))
  expect(used.filter((name) => !/_(?:sum|bucket|count)$/.test(String(name)))).toEqual([])
  expect(parsePath('/metrics')).toMatchObject({ kind: 'metrics' })
})
