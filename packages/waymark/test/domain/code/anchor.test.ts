import { describe, expect, it } from 'vitest'
import {
  isMentioned,
  isSameAnchor,
  resolveAnchor,
  type Unit,
} from '../../../src/annotation/anchor.ts'

const unit = (name: string, more: Partial<Unit> = {}): Unit => ({
  type: 'method',
  name,
  signature: name,
  lines: { start: 1, end: 2 },
  contentHash: '',
  signatureHash: '',
  ...more,
})

function resolve(units: readonly Unit[], name: string): string {
  const match = resolveAnchor(units, name)
  if (match === undefined) return 'nothing'
  return `${match.kind}: ${match.units.map((each) => each.name).join(' ')}`
}

describe('an anchor', () => {
  const units = [
    'net::MqttClient',
    'net::MqttClient::connect',
    'net::Broker::connect',
    'parse',
  ].map((name) => unit(name))

  it('is matched exactly, whichever way the names are joined', () => {
    expect(resolve(units, 'net::MqttClient::connect')).toBe('exact: net::MqttClient::connect')
    expect(resolve(units, 'net.MqttClient.connect')).toBe('exact: net::MqttClient::connect')
    expect(resolve(units, 'net/MqttClient#connect()')).toBe('exact: net::MqttClient::connect')
  })

  it('is matched without what it stands in, either way round', () => {
    expect(resolve(units, 'MqttClient::connect')).toBe('qualified: net::MqttClient::connect')
    expect(resolve(units, 'app::text::parse')).toBe('qualified: parse')
  })

  it('means all that it may mean', () => {
    expect(resolve(units, 'connect')).toBe(
      'qualified: net::MqttClient::connect net::Broker::connect',
    )
  })

  it('is matched when it is misspelt by up to three letters, and short names are not guessed', () => {
    expect(resolve(units, 'MqttClient::conect')).toBe(
      'fuzzy: net::MqttClient::connect net::Broker::connect',
    )
    expect(resolve(units, 'MqttCleint')).toBe('fuzzy: net::MqttClient')
    expect(resolve([unit('get'), unit('set')], 'put')).toBe('nothing')
    expect(resolve(units, 'somethingElse')).toBe('nothing')
    expect(resolve(units, '')).toBe('nothing')
  })

  it('means something inside a function only if nothing else has the name', () => {
    const nested = unit('run.helper', { nested: true })
    expect(resolve([nested, unit('helper')], 'helper')).toBe('exact: helper')
    expect(resolve([nested], 'helper')).toBe('qualified: run.helper')
  })

  it('can be compared with one that was qualified differently', () => {
    expect(isSameAnchor('connect', 'MqttClient::connect')).toBe(true)
    expect(isSameAnchor('Broker.connect', 'MqttClient::connect')).toBe(false)
    expect(isSameAnchor('', 'connect')).toBe(false)
  })

  it('is not mentioned by a text that has its last part only inside longer words', () => {
    expect(isMentioned('function connectAll() {}', 'Client.connect')).toBe(false)
    expect(isMentioned('function connect() {}', 'Client.connect')).toBe(true)
    expect(isMentioned('$connect = 1', 'connect')).toBe(true)
    expect(isMentioned('let $ = 1, größe$ = 2', 'größe$')).toBe(true)
    expect(isMentioned('let größe$ = 2', 'e$')).toBe(false)
  })

  it('that is no plain word may be mentioned in any text', () => {
    expect(isMentioned('', 'operator+')).toBe(true)
    expect(isMentioned('', 'a name with blanks')).toBe(true)
    expect(isMentioned('', '')).toBe(true)
  })
})
