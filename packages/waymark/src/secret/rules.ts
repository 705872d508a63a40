/** A kind of secret that can be told by its form. */
export interface SecretRule {
  /** What errors and the allow-list call it. */
  readonly id: string
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
    id: 'aws-access-key',
    pattern: new RegExp(`${START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}${END}`, 'g'),
    // As in the documentation of AWS.
    isSecret: ([key]) => !key.endsWith('EXAMPLE'),
  },
  rule('github-token', `${START}gh[opsur]_[A-Za-z0-9]{36,255}${END}`),
  rule('github-token', `${START}github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}${END}`),
  rule(
    'gitlab-token',
    `${WORD_START}gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent|oas)-[A-Za-z0-9_-]{20,300}`,
  ),
  rule('slack-token', `${WORD_START}xox[abeoprs]-[A-Za-z0-9-]{10,250}`),
  rule('slack-token', `${WORD_START}xapp-[0-9]-[A-Za-z0-9-]{20,250}`),
  rule(
    'slack-webhook',
    `hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,100}`,
  ),
  rule('stripe-key', `${START}[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}${END}`),
  rule('stripe-key', `${START}whsec_[A-Za-z0-9+/]{32,100}`),
  rule('anthropic-key', `${WORD_START}sk-ant-[A-Za-z0-9]{2,12}-[A-Za-z0-9_-]{20,200}`),
  rule('openai-key', `${WORD_START}sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,250}`),
  rule('openai-key', `${WORD_START}sk-[A-Za-z0-9]{32,100}${END}`),
  rule('google-api-key', `${START}AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])`),
  rule('google-oauth', `${START}GOCSPX-[A-Za-z0-9_-]{28}`),
  rule('google-oauth', `${START}ya29\\.[A-Za-z0-9_-]{30,500}`),
  rule('npm-token', `${START}npm_[A-Za-z0-9]{36}${END}`),
  rule('pypi-token', `${WORD_START}pypi-AgE[A-Za-z0-9_-]{50,500}`),
  rule('huggingface-token', `${START}hf_[A-Za-z0-9]{34,40}${END}`),
  rule('sendgrid-key', `${START}SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}`),
  rule('digitalocean-token', `${START}do[opr]_v1_[a-f0-9]{64}${END}`),
  rule('docker-token', `${START}dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,60}`),
  rule('shopify-token', `${START}shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}${END}`),
  rule('linear-key', `${START}lin_api_[A-Za-z0-9]{40}${END}`),
  rule('databricks-token', `${START}dapi[a-f0-9]{32}(?:-[0-9])?${END}`),
  rule('telegram-token', `${START}[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])`),
  rule('vault-token', `${START}hv[bs]\\.[A-Za-z0-9_-]{24,300}`),
  rule('azure-storage-key', `${START}AccountKey=[A-Za-z0-9+/]{86}==`),
  rule('age-key', `${START}AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`),
  rule(
    'jwt',
    `${WORD_START}eyJ[A-Za-z0-9_-]{10,4000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{20,1400}`,
  ),
]

function rule(id: string, source: string): SecretRule {
  return { id, pattern: new RegExp(source, 'g') }
}
