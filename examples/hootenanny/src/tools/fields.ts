import * as z from 'zod'

const LONGEST_TEXT = 200

/** A short text that is not empty. */
export const Text = z.string().trim().min(1).max(LONGEST_TEXT)

export const ContentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 hash of 64 lower-case hexadecimal digits')

export const MimeType = z
  .string()
  .max(100)
  .regex(/^[a-z0-9.+-]+\/[a-z0-9.+-]+$/, 'must be a media type such as audio/midi')

/** How an artifact is shelved; every tool that makes one takes these. */
export const ARTIFACT_FIELDS = {
  variation_set_id: Text.optional().describe('Set that the results belong to; a new one if absent'),
  parent_id: Text.optional().describe(
    'Artifact that the result is made from; found by its content if absent',
  ),
  tags: z.array(Text).max(50).default([]).describe('Tags such as mood:calm'),
  creator: Text.default('unknown').describe('Who asked for it'),
}
