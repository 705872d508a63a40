import toneMidi from '@tonejs/midi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { createEmbeddedGenerator } from '../src/generator/embedded.ts'
import { openStudio } from '../src/studio.ts'
import { createFolder, fetchContent, finished, generate, startStudio } from './support.ts'

/** Slow enough, and with so much to do, that it is caught in the act on any machine. */
const SLOW = createEmbeddedGenerator({ barMs: 200 })
const LONG = { bars: 500, max_tokens: 100_000, seed: 3 }

describe('the tools', () => {
  it('are those of the seed, one for loops and two for SoundFonts, each with schemas that need no references [tools-seed-loops]', async () => {
    await using studio = await startStudio()
    const { tools } = await studio.client.listTools()
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { base64: true } })
    for (const { name, inputSchema, outputSchema, description } of tools) {
      expect(description).toMatch(/^[A-Z]/)
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref')
      // Any object would match a schema without properties.
      expect(Object.keys(outputSchema?.['properties'] ?? {}), name).not.toEqual([])
      expect(ajv.validate(outputSchema ?? {}, [])).toBe(false)
      expect(ajv.validate(inputSchema, { no_such_argument: 1 }), name).toBe(false)
    }
    const signatures = tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => {
      const keys = Object.keys(properties)
      return `${name}(${keys.map((key) => (required.includes(key) ? key : `${key}?`)).join(', ')})`
    })
    expect(signatures.toSorted().join('\n')).toMatchInlineSnapshot(`
      "cancel_job(job_id)
      cas_inspect(hash)
      cas_store(content_base64, mime_type, expected_hash?)
      get_job_status(job_id)
      graph_bind(id, name, hints?)
      graph_connect(from_identity, from_port, to_identity, to_port, transport?)
      graph_find(name?, tag_namespace?, tag_value?)
      graph_tag(identity_id, namespace, value)
      list_jobs()
      midi_to_wav(input_hash, soundfont_hash?, sample_rate?, variation_set_id?, parent_id?, tags?, creator?)
      orpheus_bridge(section_a_hash, section_b_hash?, model?, temperature?, top_p?, max_tokens?, seed?, style?, key?, tempo?, bars?, variation_set_id?, parent_id?, tags?, creator?)
      orpheus_continue(input_hash, model?, num_variations?, temperature?, top_p?, max_tokens?, seed?, style?, key?, tempo?, bars?, variation_set_id?, parent_id?, tags?, creator?)
      orpheus_generate(model?, num_variations?, temperature?, top_p?, max_tokens?, seed?, style?, key?, tempo?, bars?, variation_set_id?, parent_id?, tags?, creator?)
      orpheus_generate_seeded(seed_hash, model?, num_variations?, temperature?, top_p?, max_tokens?, seed?, style?, key?, tempo?, bars?, variation_set_id?, parent_id?, tags?, creator?)
      orpheus_loops(model?, num_variations?, temperature?, top_p?, max_tokens?, seed?, style?, key?, tempo?, bars?, variation_set_id?, parent_id?, tags?, creator?)
      poll(timeout_ms, job_ids?, mode?)
      sleep(milliseconds)
      soundfont_inspect(soundfont_hash, include_drum_map?)
      soundfont_preset_inspect(soundfont_hash, bank, program)
      upload_file(file_path, mime_type)"
    `)
  })
})

describe('the audio graph', () => {
  it('binds, tags, connects and finds devices, and writes every change down [tools-binds-tags]', async () => {
    await using studio = await startStudio()
    const { call } = studio
    const hints = [{ kind: 'usb_serial', value: 'A1' }]
    await call('graph_bind', { id: 'jdxi', name: 'Roland JD-Xi', hints })
    await call('graph_bind', { id: 'keystep', name: 'Arturia Keystep Pro' })
    expect(
      await call('graph_tag', { identity_id: 'jdxi', namespace: 'role', value: 'synth' }),
    ).toEqual({
      tags: ['role:synth'],
    })
    const ends = {
      from_identity: 'keystep',
      from_port: 'midi_out',
      to_identity: 'jdxi',
      to_port: 'midi_in',
    }
    expect(await call('graph_connect', { ...ends, transport: 'din_midi' })).toMatchObject({
      from: 'keystep:midi_out',
      to: 'jdxi:midi_in',
      transport: 'din_midi',
    })
    expect(await call('graph_find', { name: 'roland' })).toEqual({
      identities: [{ id: 'jdxi', name: 'Roland JD-Xi', tags: ['role:synth'] }],
    })
    expect(await call('graph_find', { tag_namespace: 'role', tag_value: 'drums' })).toEqual({
      identities: [],
    })
    const all = (await call('graph_find'))['identities'] as unknown as { id: string }[]
    expect(all.map(({ id }) => id)).toEqual(['keystep', 'jdxi'])
    expect(await studio.read('graph://changelog')).toMatchObject([
      { operation: 'connect', details: { from: 'keystep:midi_out' } },
      { operation: 'tag', target_id: 'jdxi' },
      { operation: 'bind', target_id: 'keystep' },
      {
        operation: 'bind',
        details: { hints: [{ kind: 'usb_serial', value: 'A1', confidence: 1 }] },
      },
    ])
  })

  it('a device that is bound again is renamed, and a hint belongs to whoever claims it last', async () => {
    await using studio = await startStudio()
    const hints = [{ kind: 'midi_name', value: 'JD-Xi', confidence: 0.5 }]
    await studio.call('graph_bind', { id: 'one', name: 'Old', hints })
    await studio.call('graph_bind', { id: 'one', name: 'New' })
    await studio.call('graph_bind', { id: 'two', name: 'Other', hints })
    expect(await studio.read('graph://identity/one')).toMatchObject({ name: 'New', hints: [] })
    expect(await studio.read('graph://identity/two')).toMatchObject({ hints })
  })

  it('what makes no sense is refused in words, and changes nothing [tools-makes-sense]', async () => {
    await using studio = await startStudio()
    const { refusal } = studio
    await studio.call('graph_bind', { id: 'a', name: 'A' })
    const ends = { from_identity: 'a', from_port: '1', to_identity: 'a', to_port: '2' }
    await studio.call('graph_connect', ends)
    const before = await studio.read('graph://changelog')
    expect(await refusal('graph_connect', ends)).toContain('a:1 is connected to a:2 already')
    expect(await refusal('graph_connect', { ...ends, to_identity: 'b' })).toContain(
      'there is no identity b',
    )
    expect(await refusal('graph_tag', { identity_id: 'b', namespace: 'x', value: 'y' })).toContain(
      'no identity b',
    )
    expect(await refusal('graph_find', { tag_namespace: 'role' })).toContain('give both or neither')
    expect(
      await refusal('graph_bind', { id: 'a', name: 'A', hints: [{ kind: 'smell', value: 'x' }] }),
    ).toContain('hints.0.kind')
    expect(await refusal('graph_bind', { id: 'a:b', name: 'A' })).toContain('id:')
    expect(
      await refusal('graph_find', { name: `'; DROP TABLE identity; --`, tag_value: 'x' }),
    ).toContain('both')
    expect(await studio.read('graph://changelog')).toEqual(before)
  })
})

describe('generation', () => {
  it('runs as a job whose results are artifacts with lineage, MIDI that another library reads [tools-runs-job]', async () => {
    await using studio = await startStudio()
    const { client, url } = studio
    const args = {
      seed: 5,
      bars: 4,
      num_variations: 2,
      key: 'G',
      style: 'folk',
      tags: ['mood:merry'],
      creator: 'ada',
    }
    const started = await studio.call('orpheus_generate', args)
    expect(started).toMatchObject({
      status: 'pending',
      tool_name: 'orpheus_generate',
      message: expect.any(String) as string,
    })
    const { result, attempts } = await finished(client, started['job_id'] ?? '')
    expect(attempts).toBe(1)
    expect(result.output_hashes).toHaveLength(2)
    for (const hash of result.output_hashes)
      expect(new toneMidi.Midi(await fetchContent(url, hash)).tracks.length).toBeGreaterThan(2)
    const [hash = ''] = result.output_hashes

    const next = await generate(client, 'orpheus_continue', { input_hash: hash, bars: 2 })
    const wav = await studio.call('midi_to_wav', {
      input_hash: next.result.output_hashes[0],
      sample_rate: 8000,
    })
    const lineage = (await studio.read(`artifacts://lineage/${wav['artifact_id']}`)) as {
      chain: { tags: string[] }[]
    }
    expect(lineage).toMatchObject({ artifact_id: wav['artifact_id'], depth: 3 })
    expect(lineage.chain[0]).toMatchObject({
      hash,
      parent_id: null,
      creator: 'ada',
      variation_index: 0,
      variation_set_id: result.variation_set_id,
      tags: ['mood:merry', 'phase:generation', 'tool:orpheus_generate', 'type:midi'],
      data: { seed: 5, generator: 'embedded', task: 'generate' },
    })
    expect(lineage.chain[2]?.tags).toContain('type:audio')
    const same = await generate(client, 'orpheus_generate', args)
    expect(same.result.output_hashes).toEqual(result.output_hashes)
    expect(same.result.artifact_ids).not.toEqual(result.artifact_ids)
  })

  it('a set that is gone on with goes on with its numbers, whatever adds to it [tools-set-gone]', async () => {
    await using studio = await startStudio()
    const set = { variation_set_id: 'mine', bars: 1, num_variations: 2 }
    const { result } = await generate(studio.client, 'orpheus_generate', set)
    const [input_hash] = result.output_hashes
    const wav = { input_hash, sample_rate: 8000, variation_set_id: 'mine' }
    await studio.call('midi_to_wav', wav)
    const next = await generate(studio.client, 'orpheus_generate', set)
    expect(next.result).toMatchObject({ variation_indices: [3, 4] })
    const recent = (await studio.read('artifacts://recent')) as { variation_index: number }[]
    expect(recent.map(({ variation_index }) => variation_index)).toEqual([4, 3, 2, 1, 0])
  })

  it('seeded, bridge and loops give results too [tools-seeded-bridge]', async () => {
    await using studio = await startStudio()
    const short = { bars: 2, seed: 1 }
    const [a = ''] = (await generate(studio.client, 'orpheus_loops', short)).result.output_hashes
    const [b = ''] = (
      await generate(studio.client, 'orpheus_generate_seeded', { ...short, seed_hash: a })
    ).result.output_hashes
    const bridge = await generate(studio.client, 'orpheus_bridge', {
      ...short,
      section_a_hash: a,
      section_b_hash: b,
    })
    expect(bridge).toMatchObject({
      status: 'complete',
      result: { output_hashes: [expect.any(String)] },
    })
    expect(await studio.refusal('orpheus_bridge', { section_a_hash: 'f'.repeat(64) })).toContain(
      'there is no content',
    )
    expect(await studio.refusal('orpheus_continue', { input_hash: '../../etc/passwd' })).toContain(
      'input_hash',
    )
    expect(await studio.refusal('orpheus_generate', { key: 'H' })).toContain('key')
    expect(await studio.refusal('orpheus_generate', { parent_id: 'artifact_none' })).toContain(
      'no artifact',
    )
  })

  it('a job can be watched, waited for and cancelled [tools-job-watched]', async () => {
    await using studio = await startStudio({ generator: SLOW })
    const { call, client } = studio
    const { job_id } = await call('orpheus_generate', LONG)
    const progress: number[] = []
    const poll = { name: 'poll', arguments: { timeout_ms: 10_000, job_ids: [job_id] } }
    const onprogress = (step: { progress: number }): void => void progress.push(step.progress)
    const watch = async (): Promise<unknown> => {
      for (;;) {
        const { structuredContent } = await client.callTool(poll, undefined, { onprogress })
        const { reason } = structuredContent as { reason: string }
        if (reason === 'job_complete') return structuredContent
      }
    }
    const watched = watch()
    await expect.poll(() => progress.length).toBeGreaterThan(1)
    const status = await call('get_job_status', { job_id })
    expect(status).toMatchObject({ status: 'running', progress: { total: 500 } })
    expect(await call('cancel_job', { job_id })).toEqual({ status: 'cancelled', job_id })
    expect(await watched).toMatchObject({ failed: [job_id] })
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect(await call('get_job_status', { job_id })).toMatchObject({ status: 'cancelled' })
    expect(await studio.read('artifacts://recent')).toEqual([])
  })

  it('poll says what is complete, pending and failed, and does not wait for ever [tools-poll-says]', async () => {
    await using studio = await startStudio({ generator: SLOW })
    const { call } = studio
    const nothing = await call('poll', { timeout_ms: 10_000 })
    expect(nothing).toMatchObject({ completed: [], pending: [], reason: 'job_complete' })
    const { job_id: slow } = await call('orpheus_generate', LONG)
    const { job_id: quick } = await call('orpheus_generate', { bars: 1 })
    const all = await call('poll', { timeout_ms: 50, job_ids: [slow, 'no-such-job'], mode: 'all' })
    expect(all).toMatchObject({
      completed: [],
      pending: [slow],
      failed: ['no-such-job'],
      reason: 'timeout',
    })
    await expect
      .poll(() => call('poll', { timeout_ms: 5000, job_ids: [quick] }), { timeout: 30_000 })
      .toMatchObject({ completed: [quick], pending: [], failed: [], reason: 'job_complete' })
    const { jobs } = await call('list_jobs')
    expect(jobs).toMatchObject([{ job_id: quick }, { job_id: slow }])
    expect(await call('sleep', { milliseconds: 5 })).toMatchObject({ slept_ms: 5 })
    expect(await studio.refusal('get_job_status', { job_id: 'no-such-job' })).toContain(
      'there is no job no-such-job',
    )
  })

  it('clients that subscribed hear of new artifacts and of jobs', async () => {
    await using studio = await startStudio()
    const heard: unknown[] = []
    studio.client.fallbackNotificationHandler = ({ method, params }) => {
      const { uri, data } = params as { uri?: string; data?: { status: string } }
      heard.push([method, uri ?? data?.status])
      return Promise.resolve()
    }
    await studio.client.setLoggingLevel('info')
    await studio.client.subscribeResource({ uri: 'artifacts://recent' })
    await generate(studio.client, 'orpheus_generate', { bars: 1 })
    await expect
      .poll(() => heard)
      .toContainEqual(['notifications/resources/updated', 'artifacts://recent'])
    expect(heard).toContainEqual(['notifications/message', 'running'])
    expect(heard).toContainEqual(['notifications/message', 'complete'])
  })
})

describe('the audio graph, to those who watch it', () => {
  it('tells of the change, of the changelog, and of a device that lost a hint [tools-tells-change]', async () => {
    await using studio = await startStudio()
    const hints = [{ kind: 'usb_serial', value: 'A1' }]
    await studio.call('graph_bind', { id: 'old', name: 'Old', hints })
    const heard: unknown[] = []
    studio.client.fallbackNotificationHandler = ({ params }) => {
      heard.push(params?.['uri'])
      return Promise.resolve()
    }
    const uris = ['graph://identity/old', 'graph://identities', 'graph://changelog']
    for (const uri of uris) await studio.client.subscribeResource({ uri })
    await studio.call('graph_bind', { id: 'new', name: 'New', hints })
    await expect.poll(() => heard).toEqual(expect.arrayContaining(uris))
  })
})

describe('a studio', () => {
  it('waits for all jobs that are not over, however many [tools-waits-all]', async () => {
    await using folder = await createFolder()
    await using studio = await openStudio({ stateFolder: folder.path, generator: SLOW })
    const ids = Array.from({ length: 101 }, () => studio.jobs.submit('orpheus_generate', {}).id)
    expect(studio.jobs.open()).toEqual(ids)
  })

  it('is not opened twice, and knows what it knew when it is opened again [tools-opened-twice]', async () => {
    await using folder = await createFolder()
    const stateFolder = folder.path
    {
      await using studio = await startStudio({ stateFolder })
      await studio.call('graph_bind', { id: 'jdxi', name: 'Roland JD-Xi' })
      await expect(startStudio({ stateFolder })).rejects.toThrow(
        'another studio uses this state folder',
      )
    }
    await using again = await startStudio({ stateFolder })
    expect(await again.read('graph://identities')).toMatchObject([{ id: 'jdxi' }])
  })

  it('that is closed in mid-generation goes on with the job when it is opened again [tools-closed-mid]', async () => {
    await using folder = await createFolder()
    const stateFolder = folder.path
    let jobId = ''
    {
      await using studio = await startStudio({ stateFolder, generator: SLOW })
      jobId = (await studio.call('orpheus_generate', LONG))['job_id'] ?? ''
      await expect
        .poll(() => studio.call('get_job_status', { job_id: jobId }))
        .toMatchObject({ status: 'running' })
    }
    await using again = await startStudio({ stateFolder })
    expect(await finished(again.client, jobId)).toMatchObject({ status: 'complete', attempts: 2 })
  })
})
