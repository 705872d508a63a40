import type { ContentError } from '@waymark/cas'

/** Why an operation was refused, in `details.reason`: dialects and commands branch on it, so it is a closed set. */
export type Reason =
  | TaskReason
  | KnowledgeReason
  | CallReason
  | SyncReason
  | GitReason
  | FileReason
  | ContentError['code']

/** The state of a task or of its lease. */
type TaskReason =
  | 'blocked'
  | 'closed'
  | 'closed_by_sync'
  | 'closed_elsewhere'
  | 'deferred'
  | 'ended_by_person'
  | 'held'
  | 'being_claimed'
  | 'held_elsewhere'
  | 'key_taken'
  | 'not_done'
  | 'not_held'
  | 'open_parts'
  | 'outdated_fence'
  | 'parked'

type KnowledgeReason = 'changed_meanwhile' | 'cycle' | 'purged' | 'superseded'

/** Something about the call itself. */
type CallReason =
  | 'already_answered'
  | 'answer_erased'
  | 'code_not_valid'
  | 'insufficient_scope'
  | 'joined'
  | 'key_reused'
  | 'offline'
  | 'not_the_person'
  | 'other_project'
  | 'quota'
  | 'rate_limited'
  | 'session_replaced'

type SyncReason =
  | 'isolated'
  | 'live_unreadable'
  | 'no_coordinator'
  | 'nothing_to_resolve'
  | 'not_isolated'
  | 'other_log'
  | 'push_refused'
  | 'push_rejected'
  | 'remote_unreachable'
  | 'too_many_segments'

type GitReason =
  | 'foreign_owner'
  | 'git'
  | 'git_config'
  | 'note_full'
  | 'note_unreadable'
  | 'ref_damaged'
  | 'ref_locked'
  | 'rewritten_twice'
  | 'signing'
  | 'untrusted_setting'

type FileReason =
  | SystemErrorCode
  | 'backup_exists'
  | 'exists'
  | 'foreign_file'
  | 'foreign_folder'
  | 'foreign_hook'
  | 'tracked_hooks'
  | 'hooks_elsewhere'
  | 'not_utf8'

/** Code of an error of the operating system or of Node, such as ENOSPC. */
type SystemErrorCode = `E${Uppercase<string>}`

/** The ways a value can break a rule, in `details.rule`. Dialects translate them; people read the sentence beside. */
export type Rule =
  | 'required'
  | 'wrong_type'
  | 'too_short'
  | 'too_long'
  | 'too_large'
  | 'too_small'
  | 'too_many'
  | 'not_one_of'
  | 'bad_format'
  | 'unknown_field'
  | 'self_reference'
  | 'secret'
