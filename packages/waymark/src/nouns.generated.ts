// Written by `npm run generate` from the definitions in the slices; do not edit.
import type { Noun } from './core/noun.ts'

export const NOUNS: readonly Noun[] = [
  {
    "name": "agent",
    "about": "Who works on the project, and what they hold",
    "example": "list --include-offline",
    "areas": [
      "agents"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "artifact",
    "about": "Artifacts: files and logs by content, and what they were made from",
    "example": "add build/report.html --tag report",
    "areas": [
      "artifacts"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "backup",
    "about": "Everything in one file, and back",
    "example": "export waymark-backup.jsonl",
    "areas": [
      "projects"
    ]
  },
  {
    "name": "board",
    "about": "The board as rows, for programs that draw it",
    "example": "show --json",
    "areas": [
      "tasks"
    ]
  },
  {
    "name": "brief",
    "about": "What an agent needs to know now",
    "example": "\"rework the parser\" --path src/parser.ts",
    "areas": [
      "tasks",
      "messages",
      "entities",
      "code"
    ],
    "defaultVerb": "show",
    "takesWords": true,
    "isEveryday": true
  },
  {
    "name": "cache",
    "about": "The search index",
    "example": "stats",
    "areas": [
      "projects"
    ],
    "defaultVerb": "stats"
  },
  {
    "name": "code",
    "about": "Why the code is the way it is: annotations in Git notes",
    "example": "why src/client.ts Client.connect",
    "areas": [
      "code"
    ],
    "defaultVerb": "status",
    "hasNoPlural": true
  },
  {
    "name": "decision",
    "about": "Supersede decisions",
    "example": "supersede 3 7",
    "areas": [
      "entities"
    ]
  },
  {
    "name": "entity",
    "about": "Decisions, tasks, notes, prompts, components and links",
    "example": "create decision \"Use SQLite for storage\" --status accepted",
    "areas": [
      "entities"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "event",
    "about": "What happened, in order",
    "example": "list --type task.done",
    "areas": [
      "events"
    ],
    "defaultVerb": "list",
    "takesWords": true
  },
  {
    "name": "exchange",
    "about": "Import from other tools, and export to them",
    "example": "import beads --dry-run",
    "areas": [
      "entities",
      "tasks"
    ],
    "hasNoPlural": true
  },
  {
    "name": "graph",
    "about": "Explore relations",
    "example": "around 12 --depth 2",
    "areas": [
      "entities"
    ]
  },
  {
    "name": "health",
    "about": "What is known about the store, sync and leases without checking anything",
    "example": "",
    "areas": [
      "projects"
    ],
    "defaultVerb": "show",
    "hasNoPlural": true
  },
  {
    "name": "history",
    "about": "Show and undo an author's changes",
    "example": "undo ada 2026-11-01 --dry-run",
    "areas": [
      "entities"
    ],
    "hasNoPlural": true
  },
  {
    "name": "hook",
    "about": "Git hooks for snapshots, sync and annotations; what hosts run on events of a session",
    "example": "install --kind sync",
    "areas": [
      "projects"
    ],
    "defaultVerb": "status"
  },
  {
    "name": "insight",
    "about": "How work flows: throughput, lead time, waiting, what unblocks most",
    "example": "--days 7",
    "areas": [
      "tasks",
      "messages"
    ],
    "defaultVerb": "show",
    "hasNoPlural": true
  },
  {
    "name": "job",
    "about": "Long checks and repairs in the background, one at a time",
    "example": "start check",
    "areas": [
      "projects"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "lane",
    "about": "Which agent held which task when",
    "example": "list --from 2026-11-15",
    "areas": [
      "tasks",
      "agents",
      "messages"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "message",
    "about": "What agents tell each other",
    "example": "send \"the parser is yours now\" --to ada",
    "areas": [
      "messages"
    ],
    "defaultVerb": "list",
    "isEveryday": true,
    "aliases": [
      "msg"
    ]
  },
  {
    "name": "project",
    "about": "Figures, schema and state of the project",
    "example": "status",
    "areas": [
      "projects"
    ],
    "defaultVerb": "status"
  },
  {
    "name": "prompt",
    "about": "Prompt templates",
    "example": "render decision_review --argument id=3",
    "areas": [
      "entities"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "relation",
    "about": "Connections between two entities",
    "example": "create 12 3 --type implements",
    "areas": [
      "entities"
    ]
  },
  {
    "name": "replica",
    "about": "All entities with their history, for copies of the project",
    "example": "read --limit 10",
    "areas": [
      "projects",
      "entities",
      "tasks"
    ]
  },
  {
    "name": "search",
    "about": "Find anything by words, meaning or filters",
    "example": "\"retry type:decision\"",
    "areas": [
      "entities",
      "messages",
      "code",
      "artifacts"
    ],
    "defaultVerb": "query",
    "takesWords": true,
    "isEveryday": true
  },
  {
    "name": "snapshot",
    "about": "Everything as Markdown files",
    "example": "create --dry-run",
    "areas": [
      "projects"
    ],
    "defaultVerb": "create"
  },
  {
    "name": "spec",
    "about": "Tasks as a spec.yaml for Lodestar",
    "example": "export",
    "areas": [
      "tasks"
    ]
  },
  {
    "name": "status",
    "about": "The project at a glance; what `waymark` alone shows",
    "example": "",
    "areas": [
      "tasks",
      "messages",
      "entities"
    ],
    "defaultVerb": "show",
    "isEveryday": true,
    "hasNoPlural": true
  },
  {
    "name": "store",
    "about": "Check and move the database",
    "example": "check --repair",
    "areas": [
      "projects"
    ]
  },
  {
    "name": "sync",
    "about": "Exchange everything with other clones through Git",
    "example": "origin --dry-run",
    "areas": [
      "projects"
    ],
    "defaultVerb": "run",
    "takesWords": true,
    "isEveryday": true,
    "hasNoPlural": true
  },
  {
    "name": "task",
    "about": "Plan, claim, finish and verify work",
    "example": "claim 12 --seconds 1800",
    "areas": [
      "tasks"
    ],
    "defaultVerb": "list",
    "isEveryday": true
  }
]

/** The noun of an operation. */
export function nounOf(operation: string): Noun {
  const noun = NOUNS.find(({ name }) => operation.startsWith(`${name}.`))
  if (noun === undefined) throw new Error(`no noun.ts defines the noun of ${operation}`)
  return noun
}
