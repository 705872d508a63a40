import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { presign } from '../../src/artifact/s3/presign.ts'
import { CLIENT, KEYS, startStorage } from './object-storage.ts'
import { createDatabase, createTeamSite } from './team-site.ts'

it('addresses are signed as the published example of Signature Version 4 says [s3-presign]', () => {
  const url = presign(
    {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
    'us-east-1',
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
      now: Date.UTC(2013, 4, 24),
      seconds: 86_400,
    },
  )
  expect(url).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

interface Link {
  readonly url: string
  readonly headers: Record<string, string>
}

it('artifacts lie in a bucket, once for an organisation, sent and fetched directly or by the server [team-s3]', async () => {
  await using database = await createDatabase()
  await using storage = await startStorage()
  await database.admin('init', 'api', 'web')
  await database.admin('organisation', 'create', 'acme')
  await database.admin('init', 'shop', '--organisation', 'acme')
  const artifacts = `s3://team/kept?region=eu-test-1&endpoint=${storage.origin}`
  await using team = await createTeamSite(database, { artifacts, hostingEnv: KEYS })
  const json = { 'content-type': 'application/json', accept: 'application/json' }
  const add = (project: string, body: string, query = '?name=a.txt') =>
    team.ask(`/projects/${project}/cas${query}`, { method: 'POST', body, headers: json })
  const objects = () => [...storage.objects.keys()].filter((key) => key.includes('/objects/'))

  for (const project of ['api', 'web', 'shop']) expect((await add(project, 'alpha')).ok).toBe(true)
  // Two projects of one organisation share an object; another organisation has its own.
  expect(objects()).toHaveLength(2)
  const read = await team.ask(`/projects/web/cas/${sha256('alpha')}`)
  expect([read.status, await read.text()]).toEqual([200, 'alpha'])

  // Bytes that go to the storage without the server.
  const link = async (project: string, hash: string) => {
    const init = { method: 'POST', body: JSON.stringify({ sha256: hash }), headers: json }
    return (await (await team.ask(`/projects/${project}/cas/uploads`, init)).json()) as Link
  }
  const hash = sha256('beta')
  const { url, headers } = await link('api', hash)
  expect((await fetch(url, { method: 'PUT', body: 'gamma', headers })).status).toBe(400)
  expect((await fetch(url, { method: 'PUT', body: 'beta' })).status).toBe(403)
  expect((await add('api', '', `?name=b.txt&sent=${hash}`)).status).toBe(404)
  expect((await fetch(url, { method: 'PUT', body: 'beta', headers })).status).toBe(200)
  // Another project, even of the organisation, gains nothing by knowing the hash.
  expect((await add('web', '', `?name=b.txt&sent=${hash}`)).status).toBe(404)
  const added = await add('api', '', `?name=b.txt&sent=${hash}`)
  expect([added.status, await added.json()]).toMatchObject([
    201,
    { hash, size: 4, mime: 'text/plain', name: 'b.txt' },
  ])
  const away = await team.ask(`/projects/api/cas/${hash}?link=true`, { redirect: 'manual' })
  const location = away.headers.get('location') ?? ''
  expect([away.status, await (await fetch(location)).text()]).toEqual([307, 'beta'])
  expect((await fetch(location.replace('Expires=300', 'Expires=301'))).status).toBe(403)
  expect((await team.ask(`/projects/web/cas/${hash}?link=true`)).status).toBe(404)

  // The last project that uses a content removes it.
  const discard = async (project: string) => {
    await team.call(`/projects/${project}/api/artifact.remove`, { id: sha256('alpha') })
    return await team.call(`/projects/${project}/api/artifact.collect`)
  }
  const before = objects().length
  expect((await discard('api')).body).toMatchObject({ removed: 1 })
  expect(objects()).toHaveLength(before)
  expect((await discard('web')).body).toMatchObject({ removed: 1 })
  expect(objects()).toHaveLength(before - 1)

  // Damage is found before the first byte is sent.
  for (const key of objects()) storage.objects.set(key, Buffer.from('eve!'))
  expect((await team.ask(`/projects/api/cas/${hash}`)).status).toBe(500)
  const checked = await team.call('/projects/api/api/store.check')
  expect(JSON.stringify(checked.body)).toContain(hash)
  expect([...storage.objects.keys()].filter((key) => key.includes('incoming'))).toEqual([])
})

it('bytes that are replaced after they were compared do not become a content [team-s3-swapped]', async () => {
  await using database = await createDatabase()
  await using storage = await startStorage({ compares: false, swaps: 'evil' })
  await database.admin('init', 'api')
  const artifacts = `s3://team?region=eu-test-1&endpoint=${storage.origin}`
  await using team = await createTeamSite(database, { artifacts, hostingEnv: KEYS })
  const json = { 'content-type': 'application/json', accept: 'application/json' }
  const hash = sha256('beta')
  const asked = { method: 'POST', body: JSON.stringify({ sha256: hash }), headers: json }
  const link = (await (await team.ask('/projects/api/cas/uploads', asked)).json()) as Link
  const put = { method: 'PUT', body: 'beta', headers: { ...link.headers, 'user-agent': CLIENT } }
  expect((await fetch(link.url, put)).status).toBe(200)
  const body = { method: 'POST', body: '', headers: json }
  const added = await team.ask(`/projects/api/cas?name=b.txt&sent=${hash}`, body)
  expect(added.status).toBe(201)
  const away = await team.ask(`/projects/api/cas/${hash}?link=true`, { redirect: 'manual' })
  expect(await (await fetch(away.headers.get('location') ?? '')).text()).toBe('beta')
  expect([...storage.objects.keys()].filter((key) => key.includes('incoming'))).toEqual([])
})

it('a link to send bytes with is given where an artifact could be added, and only there [team-s3-links]', async () => {
  await using database = await createDatabase()
  await using storage = await startStorage()
  await database.admin('init', 'api')
  const options = {
    artifacts: `s3://team?region=eu-test-1&endpoint=${storage.origin}`,
    hostingEnv: KEYS,
  }
  await using site = await createTeamSite(database, options)
  await using readOnly = await createTeamSite(database, { ...options, readOnly: true })
  const headers = { 'content-type': 'application/json' }
  const asked = { method: 'POST', body: JSON.stringify({ sha256: sha256('beta') }), headers }
  const ask = async (one: typeof site) => (await one.ask('/projects/api/cas/uploads', asked)).status
  expect([await ask(site), await ask(readOnly)]).toEqual([200, 403])
  await database.admin('quota', 'set', 'artifact_bytes', '0', '--project', 'api')
  await using full = await createTeamSite(database, options)
  expect(await ask(full)).toBe(507)
})
