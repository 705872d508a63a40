/** A kind of secret that can be told by its form. */
export interface SecretRule {
  /** What errors and the allow-list call it. */
  readonly id: string
  /** Source of an expression that finds something in every text in which the pattern does. */
  readonly lead: string
  /** Global. Begins at a character that cannot belong to the match before it, so that no text is read over and over. */
  readonly pattern: RegExp
  /** Looks at what was found, where the form alone says too little. */
  readonly isSecret?: (match: RegExpExecArray) => boolean
  /** The whole of it, where the pattern finds only its beginning. */
  readonly extent?: (match: RegExpExecArray) => string
}

/** Nothing of a longer word: letters and digits, and for those that contain them, hyphens and underscores. */
const START = '(?<![A-Za-z0-9])'
const WORD_START = '(?<![A-Za-z0-9_-])'
const END = '(?![A-Za-z0-9])'

/** Well-known forms; each has a beginning that nothing else has. */
export const SECRET_RULES: readonly SecretRule[] = [
  {
    ...rule('aws-access-key', {
      before: START,
      lead: '(?:AKIA|ASIA|ABIA|ACCA)',
      rest: `[A-Z2-7]{16}${END}`,
    }),
    // As in the documentation of AWS.
    isSecret: ([key]) => !key.endsWith('EXAMPLE'),
  },
  rule('github-token', { before: START, lead: 'gh[opsur]_', rest: `[A-Za-z0-9]{36,255}${END}` }),
  rule('github-token', {
    before: START,
    lead: 'github_pat_',
    rest: `[A-Za-z0-9]{22}_[A-Za-z0-9]{59}${END}`,
  }),
  rule('gitlab-token', {
    before: WORD_START,
    lead: 'gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent|oas)-',
    rest: '[A-Za-z0-9_-]{20,300}',
  }),
  rule('slack-token', { before: WORD_START, lead: 'xox[abeoprs]-', rest: '[A-Za-z0-9-]{10,250}' }),
  rule('slack-token', { before: WORD_START, lead: 'xapp-', rest: '[0-9]-[A-Za-z0-9-]{20,250}' }),
  rule('slack-webhook', {
    lead: 'hooks\\.slack\\.com/',
    rest: '(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,100}',
  }),
  rule('stripe-key', {
    before: START,
    lead: '[rs]k_(?:live|test|prod)_',
    rest: `[A-Za-z0-9]{16,250}${END}`,
  }),
  rule('stripe-key', { before: START, lead: 'whsec_', rest: '[A-Za-z0-9+/]{32,100}' }),
  rule('anthropic-key', {
    before: WORD_START,
    lead: 'sk-ant-',
    rest: '[A-Za-z0-9]{2,12}-[A-Za-z0-9_-]{20,200}',
  }),
  rule('openai-key', {
    before: WORD_START,
    lead: 'sk-(?:proj|svcacct|admin|None)-',
    rest: '[A-Za-z0-9_-]{20,250}',
  }),
  rule('openai-key', { before: WORD_START, lead: 'sk-', rest: `[A-Za-z0-9]{32,100}${END}` }),
  rule('google-api-key', {
    before: START,
    lead: 'AIza',
    rest: '[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])',
  }),
  rule('google-oauth', { before: START, lead: 'GOCSPX-', rest: '[A-Za-z0-9_-]{28}' }),
  rule('google-oauth', { before: START, lead: 'ya29\\.', rest: '[A-Za-z0-9_-]{30,500}' }),
  rule('npm-token', { before: START, lead: 'npm_', rest: `[A-Za-z0-9]{36}${END}` }),
  rule('pypi-token', { before: WORD_START, lead: 'pypi-AgE', rest: '[A-Za-z0-9_-]{50,500}' }),
  rule('huggingface-token', { before: START, lead: 'hf_', rest: `[A-Za-z0-9]{34,40}${END}` }),
  rule('sendgrid-key', {
    before: START,
    lead: 'SG\\.',
    rest: '[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}',
  }),
  rule('digitalocean-token', { before: START, lead: 'do[opr]_v1_', rest: `[a-f0-9]{64}${END}` }),
  rule('docker-token', { before: START, lead: 'dckr_(?:pat|oat)_', rest: '[A-Za-z0-9_-]{27,60}' }),
  rule('shopify-token', {
    before: START,
    lead: 'shp(?:at|ca|pa|ss)_',
    rest: `[A-Fa-f0-9]{32}${END}`,
  }),
  rule('linear-key', { before: START, lead: 'lin_api_', rest: `[A-Za-z0-9]{40}${END}` }),
  rule('databricks-token', { before: START, lead: 'dapi', rest: `[a-f0-9]{32}(?:-[0-9])?${END}` }),
  rule('telegram-token', {
    before: `${START}[0-9]{8,10}`,
    lead: ':AA',
    rest: '[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])',
  }),
  rule('vault-token', { before: START, lead: 'hv[bs]\\.', rest: '[A-Za-z0-9_-]{24,300}' }),
  rule('azure-storage-key', { before: START, lead: 'AccountKey=', rest: '[A-Za-z0-9+/]{86}==' }),
  rule('age-key', {
    before: START,
    lead: 'AGE-SECRET-KEY-1',
    rest: '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}',
  }),
  rule('jwt', {
    before: WORD_START,
    lead: 'eyJ',
    rest: '[A-Za-z0-9_-]{10,4000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{20,1400}',
  }),
]

interface Form {
  /** What has to stand before the lead. */
  readonly before?: string
  readonly lead: string
  readonly rest: string
}

function rule(id: string, { before = '', lead, rest }: Form): SecretRule {
  return { id, lead, pattern: new RegExp(before + lead + rest, 'g') }
}
