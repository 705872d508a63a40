import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { getEntity } from '../../src/entity/operations.ts'
import { importFrom } from '../../src/exchange/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { getTask } from '../../src/task/operations.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import { projectWith } from './import-project.ts'

describe('Backlog.md', () => {
  const task = `---
id: task-7
title: Add search
status: In Progress
assignee: ['@kim', '@lee']
created_date: '2026-01-05 10:00'
labels: [ui]
dependencies: [task-3]
parent_task_id: task-3
priority: high
milestone: m1
---

## Description

Find things.

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 Finds by title
- [x] #2 Is fast
<!-- AC:END -->

## Implementation Plan

- [ ] not a criterion
`

  it('files come with their text, criteria and relations', async () => {
    await using project = await projectWith({
      'backlog/tasks/task-7 - Add-search.md': task,
      'backlog/completed/task-3 - Base.md': '---\nid: task-3\ntitle: Base\nstatus: Done\n---\n',
      'backlog/tasks/readme.md': '# nothing',
    })
    const { context } = project
    const { created, remarks } = await execute(context, importTasks, { format: 'backlog' })
    expect(created).toBe(2)
    expect(new Set(remarks)).toEqual(
      new Set([
        'backlog/tasks/readme.md has no id and was left out',
        'field milestone was not taken over',
        'of several assignees the first was taken over',
      ]),
    )
    expect(await execute(context, getTask, { id: 'task-7' })).toMatchObject({
      title: 'Add search',
      status: 'in_progress',
      priority: 250,
      assignee: 'kim',
      labels: ['ui'],
      content: 'Find things.\n\n## Implementation Plan\n\n- [ ] not a criterion',
      acceptance_criteria: ['Finds by title', '[x] Is fast'],
      created_at: '2026-01-05T10:00:00.000Z',
      depends_on: [{ key: 'task-3' }],
      parents: [{ key: 'task-3', status: 'done' }],
    })
  })
})

describe('Backlog.md 1.52', () => {
  const files = {
    'backlog/tasks/task-1 - Done.md': `---
id: TASK-1
title: Done thing
status: Done
reporter: '@ann'
created_date: '2026-01-05'
updated_date: '2026-01-06 10:00'
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
What it is.

## A heading of its own
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 It works
<!-- AC:END -->

## Implementation Notes

<!-- SECTION:NOTES:BEGIN -->
Slow at first.
<!-- SECTION:NOTES:END -->

## Comments

<!-- COMMENTS:BEGIN -->
author: @bo
created: 2026-01-06 09:00
---
Looks good.
---
<!-- COMMENTS:END -->

## Final Summary

<!-- SECTION:FINAL_SUMMARY:BEGIN -->
Shipped.
<!-- SECTION:FINAL_SUMMARY:END -->
`,
    'backlog/completed/task-2 - Old.md': `---
id: TASK-2
title: Old
status: Done
---

## Comments
<!-- COMMENTS:BEGIN -->
<!-- COMMENT:BEGIN -->
index: 1
author: bo
created: 2026-01-06

First.

Second.
<!-- COMMENT:END -->
<!-- COMMENTS:END -->
`,
    'backlog/drafts/draft-1 - Maybe.md':
      '---\nid: DRAFT-1\ntitle: Maybe\nstatus: To Do\npriority: high\n---\n',
    'backlog/decisions/decision-1 - Use-SQLite.md':
      "---\nid: decision-1\ntitle: Use SQLite\ndate: '2026-01-04 08:00'\nstatus: accepted\n---\n## Context\n\nMany readers.\n\n## Decision\n\nOne file.\n\n## Consequences\n\n- No server\n- One writer\n\n## Alternatives\n\nPostgres.\n",
    'backlog/docs/guides/doc-1 - Style.md':
      '---\nid: doc-1\ntitle: Style\ntype: guide\ncreated_date: 2026-01-02\ntags: [team]\n---\nBe short.\n',
    'backlog/milestones/m-1.md': '---\nid: m-1\n---\n',
  }

  it('decisions and docs come too, marks do not, and a draft is not handed out [import-backlog-whole]', async () => {
    await using project = await projectWith(files)
    const { context } = project
    const done = await execute(context, importFrom, { format: 'Backlog.md' })
    expect(done).toMatchObject({ format: 'backlog', found: 5, created: 5 })
    expect(done.remarks).toEqual(['the folder milestones was left out'])
    expect(await execute(context, getTask, { id: 'TASK-1' })).toMatchObject({
      key: 'task-1',
      status: 'done',
      content:
        'What it is.\n\n## A heading of its own\n\n## Implementation Notes\n\nSlow at first.\n\n## Comments\n\n- bo, 2026-01-06T09:00:00.000Z: Looks good.',
      acceptance_criteria: ['[x] It works'],
      close_reason: 'Shipped.',
      completed_at: '2026-01-06T10:00:00.000Z',
    })
    expect(await execute(context, getTask, { id: 'task-2' })).toMatchObject({
      content: '## Comments\n\n- bo, 2026-01-06T00:00:00.000Z: First.\n  \n  Second.',
    })
    expect(await execute(context, getTask, { id: 'draft-1' })).toMatchObject({
      status: 'blocked',
      labels: ['draft'],
    })
    expect(await execute(context, readyTasks, {})).toMatchObject({ total: 0 })
    expect(await execute(context, getEntity, { id: '4' })).toMatchObject({
      type: 'decision',
      title: 'Use SQLite',
      content: 'One file.\n\n## Alternatives\n\nPostgres.',
      properties: {
        status: 'accepted',
        context: 'Many readers.',
        consequences: ['No server', 'One writer'],
      },
      created_at: '2026-01-04T08:00:00.000Z',
    })
    expect(await execute(context, getEntity, { id: '5' })).toMatchObject({
      type: 'note',
      title: 'Style',
      content: 'Be short.',
      tags: ['team'],
      properties: { note_type: 'guide' },
    })
    expect(await execute(context, importFrom, { format: 'backlog' })).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 5,
    })
  })
})
