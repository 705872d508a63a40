// Written by `npm run generate` from the definitions in the slices; do not edit.
import type { Noun } from './core/noun.ts'

export const NOUNS: readonly Noun[] = [
  {
    "name": "agent",
    "about": "Who works on the project, and what they hold",
    "areas": [
      "agents"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "artifact",
    "about": "Files by their content, and what they were made from",
    "areas": [
      "artifacts"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "backup",
    "about": "Everything in one file, and back",
    "areas": [
      "projects"
    ]
  },
  {
    "name": "brief",
    "about": "What an agent needs to know now",
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
    "areas": [
      "projects"
    ],
    "defaultVerb": "stats"
  },
  {
    "name": "code",
    "about": "Why the code is so: annotations in git notes",
    "areas": [
      "code"
    ],
    "defaultVerb": "status",
    "hasNoPlural": true
  },
  {
    "name": "decision",
    "about": "Which decision holds in whose place",
    "areas": [
      "entities"
    ]
  },
  {
    "name": "entity",
    "about": "Decisions, tasks, notes, prompts, components and links",
    "areas": [
      "entities"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "event",
    "about": "What happened, in order",
    "areas": [
      "events"
    ],
    "defaultVerb": "list",
    "takesWords": true
  },
  {
    "name": "graph",
    "about": "Explore relations",
    "areas": [
      "entities"
    ]
  },
  {
    "name": "history",
    "about": "Show and undo an author's changes",
    "areas": [
      "entities"
    ],
    "hasNoPlural": true
  },
  {
    "name": "hook",
    "about": "Git hooks for snapshots, sync and annotations",
    "areas": [
      "projects"
    ],
    "defaultVerb": "status"
  },
  {
    "name": "message",
    "about": "What agents tell each other",
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
    "areas": [
      "projects"
    ],
    "defaultVerb": "status"
  },
  {
    "name": "prompt",
    "about": "Prompt templates",
    "areas": [
      "entities"
    ],
    "defaultVerb": "list"
  },
  {
    "name": "relation",
    "about": "Connections between two entities",
    "areas": [
      "entities"
    ]
  },
  {
    "name": "search",
    "about": "Find anything by words, meaning or filters",
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
    "areas": [
      "projects"
    ],
    "defaultVerb": "create"
  },
  {
    "name": "spec",
    "about": "Tasks as a spec.yaml for Lodestar",
    "areas": [
      "tasks"
    ]
  },
  {
    "name": "status",
    "about": "The project at a glance; what `waymark` alone shows",
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
    "areas": [
      "projects"
    ]
  },
  {
    "name": "sync",
    "about": "Exchange everything with other clones through Git",
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
