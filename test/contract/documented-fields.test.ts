import { expect, test } from 'vitest';
import { isDocumentedField } from '#service/contract/documented-fields.ts';

test('the spec gives different fields of tweets and authors to endpoints', () => {
  const cases = {
    'user-tweets': { 'tweet.has_media': true, 'tweet.author': false, 'tweet.in_reply_to_user_id': false },
    'user-tweets-replies': { 'tweet.in_reply_to_user_id': true, 'tweet.has_media': false },
    search: { 'tweet.author': true, 'author.name': true, 'author.rest_id': false, 'tweet.replies': false },
    'tweet-detail': { 'tweet.rest_id': true, 'tweet.replies': true, 'author.rest_id': true },
    followers: { 'summary.verified': true },
  };
  for (const [endpoint, fields] of Object.entries(cases))
    for (const [field, isGiven] of Object.entries(fields))
      expect(isDocumentedField(endpoint, field), `${endpoint} ${field}`).toBe(isGiven);
});
