import { describe, expect, it } from 'vitest'
import { generate, startStudio } from './support.ts'
import type { TestStudio } from './support.ts'

async function addDevices({ call }: TestStudio): Promise<void> {
  const usb = [{ kind: 'usb_device_id', value: '0582:01e4' }]
  await call('graph_bind', { id: 'jdxi', name: 'Roland JD-Xi', hints: usb })
  await call('graph_tag', { identity_id: 'jdxi', namespace: 'role', value: 'synth' })
  await call('graph_bind', {
    id: 'keystep',
    name: 'Arturia Keystep Pro',
    hints: [{ kind: 'usb_serial', value: 'K1' }],
  })
  await call('graph_tag', { identity_id: 'keystep', namespace: 'role', value: 'controller' })
}

async function textOf(
  studio: TestStudio,
  name: string,
  args: Record<string, string>,
): Promise<string> {
  const { messages } = await studio.client.getPrompt({ name, arguments: args })
  expect(messages).toHaveLength(1)
  const [message] = messages
  expect(message).toMatchObject({ role: 'user', content: { type: 'text' } })
  return message?.content.type === 'text' ? message.content.text : ''
}

describe('resources', () => {
  it('are listed with names and types, templates beside them [resources-listed-names]', async () => {
    await using studio = await startStudio()
    const { resources } = await studio.client.listResources()
    expect(resources).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          uri: 'graph://identities',
          name: 'Audio Identities',
          mimeType: 'application/json',
        }),
        expect.objectContaining({
          uri: 'artifacts://summary',
          name: 'Artifact Summary',
          mimeType: 'application/json',
        }),
      ]),
    )
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['graph://connections', 'artifacts://recent']),
    )
    const { resourceTemplates } = await studio.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate, name }) => [uriTemplate, name])).toEqual([
      ['graph://identity/{id}', 'Identity by ID'],
      ['artifacts://by-tag/{tag}', 'Artifacts by Tag'],
      ['artifacts://by-creator/{creator}', 'Artifacts by Creator'],
      ['artifacts://lineage/{id}', 'Artifact Lineage'],
      ['cas://{hash}', 'CAS Content'],
    ])
  })

  it('the graph is read in the shape of the seed [resources-graph-read]', async () => {
    await using studio = await startStudio()
    await addDevices(studio)
    const { contents } = await studio.client.readResource({ uri: 'graph://identities' })
    expect(contents).toEqual([
      {
        uri: 'graph://identities',
        mimeType: 'application/json',
        text: '[{"id":"keystep","name":"Arturia Keystep Pro","tags":["role:controller"]},{"id":"jdxi","name":"Roland JD-Xi","tags":["role:synth"]}]',
      },
    ])
    expect(await studio.read('graph://connections')).toEqual([])
    await studio.call('graph_connect', {
      from_identity: 'keystep',
      from_port: 'usb',
      to_identity: 'jdxi',
      to_port: 'usb',
    })
    expect(await studio.read('graph://connections')).toMatchObject([
      { from: 'keystep:usb', to: 'jdxi:usb', transport: null },
    ])
    expect(await studio.read('graph://identity/jdxi')).toMatchObject({
      id: 'jdxi',
      name: 'Roland JD-Xi',
      tags: ['role:synth'],
      hints: [{ kind: 'usb_device_id', value: '0582:01e4', confidence: 1 }],
    })
    await expect(studio.client.readResource({ uri: 'graph://identity/none' })).rejects.toThrow(
      'not found',
    )
  })

  it('artifacts are counted, listed by time, tag and creator [resources-artifacts-counted]', async () => {
    await using studio = await startStudio()
    const empty = { total: 0, by_type: {}, by_phase: {}, by_tool: {}, variation_sets: 0 }
    expect(await studio.read('artifacts://summary')).toEqual(empty)
    await generate(studio.client, 'orpheus_generate', {
      bars: 1,
      num_variations: 12,
      creator: 'ada',
    })
    expect(await studio.read('artifacts://summary')).toEqual({
      total: 12,
      by_type: { midi: 12 },
      by_phase: { generation: 12 },
      by_tool: { orpheus_generate: 12 },
      variation_sets: 1,
    })
    const recent = (await studio.read('artifacts://recent')) as { variation_index: number }[]
    expect(recent.map(({ variation_index }) => variation_index)).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
    ])
    expect(await studio.read('artifacts://by-tag/type:midi')).toHaveLength(12)
    expect(await studio.read('artifacts://by-tag/type%3Amidi')).toHaveLength(12)
    expect(await studio.read('artifacts://by-tag/none')).toEqual([])
    expect(await studio.read('artifacts://by-creator/ada')).toHaveLength(12)
    await expect(studio.client.readResource({ uri: 'artifacts://lineage/none' })).rejects.toThrow(
      'not found',
    )
  })

  it('contents are text under a text type, base64 under any other [resources-contents-text]', async () => {
    await using studio = await startStudio()
    const store = async (text: string, mime_type: string): Promise<string> => {
      const content_base64 = Buffer.from(text).toString('base64')
      return (await studio.call('cas_store', { content_base64, mime_type }))['hash'] ?? ''
    }
    const [text, bytes] = [
      await store('lyrics', 'text/plain'),
      await store('\0\u0001', 'application/x-patch'),
    ]
    const readAt = async (hash: string) =>
      (await studio.client.readResource({ uri: `cas://${hash}` })).contents
    expect(await readAt(text)).toEqual([
      { uri: `cas://${text}`, mimeType: 'text/plain', text: 'lyrics' },
    ])
    expect(await readAt(bytes)).toEqual([
      { uri: `cas://${bytes}`, mimeType: 'application/x-patch', blob: 'AAE=' },
    ])
    for (const hash of ['f'.repeat(64), 'short', '..%2f..%2fetc%2fpasswd'])
      await expect(readAt(hash)).rejects.toThrow('not found')
  })
})

describe('prompts', () => {
  it('are the five of the seed, with their arguments [resources-five-seed]', async () => {
    await using studio = await startStudio()
    const { prompts } = await studio.client.listPrompts()
    const listed = prompts.map(({ name, arguments: args }) => [
      name,
      args?.map((arg) => `${arg.name}${arg.required ? '!' : ''}`),
    ])
    expect(Object.fromEntries(listed)).toEqual({
      'ensemble-jam': ['style!', 'tempo', 'duration_bars'],
      'describe-setup': ['format'],
      'patch-synth': ['synth_id!', 'style!', 'character'],
      'sequence-idea': ['style!', 'key', 'bars'],
      'connect-devices': ['from_id!', 'to_id!'],
    })
    expect(prompts.find(({ name }) => name === 'ensemble-jam')).toMatchObject({
      description: 'Start a collaborative music session',
      arguments: [
        { name: 'style', description: 'Musical style (ambient, techno, jazz)', required: true },
        {},
        {},
      ],
    })
  })

  it('ensemble-jam and sequence-idea know the devices and what was made last [resources-ensemble-jam]', async () => {
    await using studio = await startStudio()
    expect(await textOf(studio, 'ensemble-jam', { style: 'jazz' })).toContain(
      'No devices are registered yet',
    )
    await addDevices(studio)
    const { result } = await generate(studio.client, 'orpheus_generate', { bars: 1 })
    const jam = await studio.client.getPrompt({
      name: 'ensemble-jam',
      arguments: { style: 'ambient', tempo: '72' },
    })
    expect(jam.description).toBe('Ambient jam session at 72 BPM')
    const text = await textOf(studio, 'ensemble-jam', { style: 'ambient', tempo: '72' })
    expect(text).toContain("Let's create an ambient piece at 72 BPM, 8 bars long")
    expect(text).toContain(
      'The studio has: Arturia Keystep Pro (controller), Roland JD-Xi (synth).',
    )
    expect(text).toContain(`cas://${result.output_hashes[0]}`)
    const idea = await textOf(studio, 'sequence-idea', { style: 'techno', key: 'F# minor' })
    expect(idea).toContain('a techno sequence in F# minor that repeats after 4 bars')
    await expect(textOf(studio, 'ensemble-jam', { style: 'jazz', tempo: 'fast' })).rejects.toThrow(
      'tempo must be a number',
    )
    await expect(textOf(studio, 'sequence-idea', { style: 'jazz', key: 'H' })).rejects.toThrow(
      'key must be',
    )
    await expect(textOf(studio, 'ensemble-jam', {})).rejects.toThrow('needs style')
  })

  it('describe-setup and patch-synth describe what is there [resources-describe-setup]', async () => {
    await using studio = await startStudio()
    await addDevices(studio)
    await studio.call('graph_connect', {
      from_identity: 'keystep',
      from_port: 'out',
      to_identity: 'jdxi',
      to_port: 'in',
      transport: 'din_midi',
    })
    const setup = await textOf(studio, 'describe-setup', { format: 'json' })
    expect(setup).toContain('Document this studio as json')
    expect(setup).toContain('Cables (1):\n- keystep:out → jdxi:in (din_midi)')
    const patch = await textOf(studio, 'patch-synth', { synth_id: 'jdxi', style: 'dub' })
    expect(patch).toContain('Describe a warm patch for dub')
    expect(patch).toContain('usb_device_id 0582:01e4 (confidence 1)')
    await expect(textOf(studio, 'describe-setup', { format: 'pdf' })).rejects.toThrow(
      'markdown or json',
    )
    await expect(textOf(studio, 'patch-synth', { synth_id: 'none', style: 'dub' })).rejects.toThrow(
      'synth_id: there is no identity none',
    )
  })

  it('connect-devices knows both devices, the cables between them and a likely transport [resources-connect-devices]', async () => {
    await using studio = await startStudio()
    await addDevices(studio)
    await studio.call('graph_bind', { id: 'mixer', name: 'Desk' })
    await studio.call('graph_tag', { identity_id: 'mixer', namespace: 'role', value: 'mixer' })
    const first = await textOf(studio, 'connect-devices', { from_id: 'keystep', to_id: 'jdxi' })
    expect(first).toContain('They are not connected yet.')
    expect(first).toContain('A first guess is usb_midi: both are known by a USB hint')
    expect(first).toContain('- Roland JD-Xi (jdxi)\n  - tag role:synth')
    await studio.call('graph_connect', {
      from_identity: 'jdxi',
      from_port: 'out',
      to_identity: 'keystep',
      to_port: 'in:1',
    })
    await studio.call('graph_connect', {
      from_identity: 'jdxi',
      from_port: 'out',
      to_identity: 'jdxi',
      to_port: 'in',
    })
    await studio.call('graph_connect', {
      from_identity: 'jdxi',
      from_port: 'left',
      to_identity: 'mixer',
      to_port: '1',
    })
    const second = await textOf(studio, 'connect-devices', { from_id: 'keystep', to_id: 'jdxi' })
    expect(second).toContain('Cables (1):\n- jdxi:out → keystep:in:1 (unknown)')
    expect(await textOf(studio, 'connect-devices', { from_id: 'jdxi', to_id: 'mixer' })).toContain(
      'first guess is audio',
    )
  })

  it('arguments are completed from what the studio has', async () => {
    await using studio = await startStudio()
    await addDevices(studio)
    const { completion } = await studio.client.complete({
      ref: { type: 'ref/prompt', name: 'patch-synth' },
      argument: { name: 'synth_id', value: 'j' },
    })
    expect(completion.values).toEqual(['jdxi'])
    const styles = await studio.client.complete({
      ref: { type: 'ref/prompt', name: 'ensemble-jam' },
      argument: { name: 'style', value: '' },
    })
    expect(styles.completion.values).toContain('ambient')
    const { result } = await generate(studio.client, 'orpheus_generate', { bars: 1 })
    const artifacts = await studio.client.complete({
      ref: { type: 'ref/resource', uri: 'artifacts://lineage/{id}' },
      argument: { name: 'id', value: '' },
    })
    expect(artifacts.completion.values).toEqual(result.artifact_ids)
  })
})
