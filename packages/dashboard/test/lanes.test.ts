import { expect, it } from 'vitest'
import { boardAt } from '../src/draw/board-at.ts'
import { toLaneModel } from '../src/draw/lane-model.ts'
import type { End, Span } from '../src/draw/span.ts'
import { squeeze } from '../src/draw/squeeze.ts'

function lease(agent: string, task: number, times: readonly [number, number], end: End): Span {
  const [from, to] = times
  return { agentId: agent, agent, task, title: `T${task}`, from, to, end, renewals: [] }
}

const SPANS = [
  lease('ada', 1, [0, 10], 'expired'),
  lease('ada', 2, [5, 20], 'done'),
  lease('bo', 1, [12, 30], 'done'),
  lease('ada', 3, [21, 40], 'held'),
]

it('leases that an agent has at once get rows of their own, and a lost task leads to its next holder [lane-model]', () => {
  const model = toLaneModel(
    SPANS,
    [{ agentId: 'bo', at: 15, severity: 'info' }],
    squeeze(SPANS),
    'agent',
  )
  expect(model.lanes.map(({ name, row, rows }) => [name, row, rows])).toEqual([
    ['ada', 0, 2],
    ['bo', 2, 1],
  ])
  expect(model.bars.map(({ span, row }) => [span.task, row])).toEqual([
    [1, 0],
    [2, 1],
    [3, 0],
    [1, 2],
  ])
  expect(model.handovers.map(([from, to]) => [from.span.agent, to.span.agent])).toEqual([
    ['ada', 'bo'],
  ])
  expect(model.dots.map(({ row }) => row)).toEqual([2])
  const byTask = toLaneModel(SPANS, [], squeeze(SPANS), 'task')
  expect(byTask.lanes.map(({ name }) => name)).toEqual(['#1 T1', '#2 T2', '#3 T3'])
})

it('the board of a moment has each task where its last lease left it [replay-board]', () => {
  const at = (moment: number) =>
    Object.fromEntries(
      Object.entries(boardAt(SPANS, moment)).map(([column, spans]) => [
        column,
        spans.map(({ task }) => task),
      ]),
    )
  expect(at(7)).toEqual({ held: [2, 1], back: [], done: [] })
  expect(at(11)).toEqual({ held: [2], back: [1], done: [] })
  expect(at(25)).toEqual({ held: [3, 1], back: [], done: [2] })
  expect(at(99)).toEqual({ held: [3], back: [], done: [1, 2] })
})
