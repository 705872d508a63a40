import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readFrames } from '../src/data/live/frames.ts'
import { placeIn } from '../src/data/place.ts'
import { compareTasks } from '../src/data/task/task.ts'
import { toTask } from '../src/data/task/task-row.ts'
import { putTask, listOf, setTasks } from '../src/data/task/tasks.ts'
import { layered } from '../src/draw/layered.ts'
import { splitOptions } from '../src/views/now/question-options.ts'
import { squeeze } from '../src/draw/squeeze.ts'
import { mergeTexts, mergeVersions } from '../src/parts/text/merge-texts.ts'

const COLUMNS = ['number', 'column', 'priority', 'rank', 'due_date', 'title']

it('rows in any order, also twice, make the lists of the snapshot [page-store]', () => {
  const row = fc.tuple(
    fc.integer({ min: 1, max: 20 }),
    fc.constantFrom('ready', 'waiting', 'done'),
    fc.constantFrom(0, 250, 500),
    fc.integer({ min: -2, max: 2 }),
    fc.constantFrom(undefined, '2026-12-01', '2026-12-24'),
  )
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), (rows) => {
      const tasks = rows.map((values) => toTask(COLUMNS, values))
      setTasks([])
      for (const task of tasks) putTask(task)
      for (const task of new Map(tasks.map((one) => [one.number, one])).values()) putTask(task)
      const live = lists()
      setTasks([...new Map(tasks.map((one) => [one.number, one])).values()])
      expect(live).toEqual(lists())
    }),
  )
})

function lists() {
  return (['ready', 'waiting', 'done'] as const).map((column) => listOf(column).peek())
}

it('a place by bisection keeps a list sorted', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer(), (numbers, value) => {
      const sorted = numbers.toSorted((one, other) => one - other)
      const place = placeIn(sorted, value, (one, other) => one - other)
      expect(sorted.toSpliced(place, 0, value)).toEqual(
        [...sorted, value].toSorted((one, other) => one - other),
      )
    }),
  )
})

it('the most urgent task is first, then the one placed by hand, the one due first, and the oldest', () => {
  const make = (number: number, priority: number, rank = 0, due?: string) =>
    toTask(COLUMNS, [number, 'ready', priority, rank, due])
  const tasks = [make(1, 500), make(2, 500, 0, '2026-12-24'), make(3, 500, 0, '2026-12-01')]
  const sorted = [...tasks, make(4, 500), make(5, 500, -1), make(6, 0, 9)].toSorted(compareTasks)
  expect(sorted.map(({ number }) => number)).toEqual([6, 5, 3, 2, 1, 4])
})

it('frames are read whole, however the bytes are cut', async () => {
  const bytes = new TextEncoder().encode(
    ': hello\n\nid: 7\ndata: {"ü":1}\n\nevent: behind\ndata: {}\n\n',
  )
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, cut))
        controller.enqueue(bytes.slice(cut))
        controller.close()
      },
    })
    const frames = []
    for await (const frame of readFrames(body)) frames.push(frame)
    expect(frames).toEqual([
      { id: '7', event: 'message', data: '{"ü":1}' },
      { id: '', event: 'behind', data: '{}' },
    ])
  }
})

it('two changes of one text are both kept, and told apart when they collide [page-merge]', () => {
  expect(mergeTexts('a\nb\nc', 'A\nb\nc', 'a\nb\nC')).toEqual({ text: 'A\nb\nC', isClean: true })
  expect(mergeTexts('a\nb\nc', 'a\nmine\nc', 'a\ntheirs\nc')).toEqual({
    text: 'a\nmine\ntheirs\nc',
    isClean: false,
  })
  const line = fc.constantFrom('one', 'two', 'three', 'four')
  fc.assert(
    fc.property(fc.array(line), fc.array(line), (base, changed) => {
      const [before, after] = [base.join('\n'), changed.join('\n')]
      expect(mergeTexts(before, after, before).text).toBe(after)
      expect(mergeTexts(before, before, after).text).toBe(after)
    }),
  )
})

it('a title that only one of two changed is the one that changed', () => {
  const base = { title: 'Cart', text: 'a' }
  const merge = (mine: string, theirs: string) =>
    mergeVersions(base, { title: mine, text: 'a' }, { title: theirs, text: 'a' })
  expect(merge('Basket', 'Cart')).toBeUndefined()
  expect(merge('Cart', 'Basket')).toEqual({ title: 'Basket', text: 'a', isClean: true })
  expect(merge('Basket', 'Basket')).toEqual({ title: 'Basket', text: 'a', isClean: true })
  expect(merge('Basket', 'Trolley')).toEqual({ title: 'Basket', text: 'a', isClean: false })
})

it('a question that ends with a list offers its items, and no other text does [question-options]', () => {
  const offered = splitOptions('Which format?\n\n- JSON\n- MessagePack\n')
  expect(offered).toEqual({ text: 'Which format?', options: ['JSON', 'MessagePack'] })
  expect(splitOptions('Which?\n1. the old one\n2) a new one').options).toEqual([
    'the old one',
    'a new one',
  ])
  for (const text of [
    'Which format?',
    '- JSON\n- MessagePack',
    'Which?\n- only one',
    'I did:\n- one\n- two\nIs that right?',
    `Long?\n- ${'x'.repeat(61)}\n- y`,
    `Many?\n${'- z\n'.repeat(6)}`,
  ])
    expect(splitOptions(text)).toEqual({ text, options: [] })
})

it('long silence takes as much room as a minute', () => {
  const hour = 3_600_000
  const { place, time, length, gaps } = squeeze([
    { from: 0, to: 1000 },
    { from: hour, to: hour + 1000 },
  ])
  expect(length).toBe(62_000)
  expect(place(hour)).toBe(61_000)
  expect(gaps).toEqual([{ from: 1000, to: hour, at: 1000 }])
  for (const at of [0, 500, 1000, 90_000, hour, hour + 700])
    expect(time(place(at))).toBeCloseTo(at, 3)
})

it('what a decision rests on is left of it, and what leans on it right', () => {
  const node = (number: number) => ({ number, type: 'decision', title: '', hidden: 0 })
  const placed = layered(
    2,
    [node(1), node(2), node(3)],
    [
      { source: 2, target: 1, type: 'relates_to' },
      { source: 3, target: 2, type: 'implements' },
    ],
  )
  const x = Object.fromEntries(placed.map(({ number, x: at }) => [number, at]))
  expect(x['1']).toBeLessThan(x['2'] ?? 0)
  expect(x['2']).toBeLessThan(x['3'] ?? 0)
})
