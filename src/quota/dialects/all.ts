// The dialects, in the order in which a response is tried. Those with names of their own come first; Discord and GitHub are
// told from plain X-RateLimit headers by what they add, so they come before them.

import type { Dialect } from "../answer.ts"
import { anthropic } from "./anthropic.ts"
import { discord } from "./discord.ts"
import { github } from "./github.ts"
import { ietf } from "./ietf.ts"
import { olderDrafts } from "./older-drafts.ts"
import { openai } from "./openai.ts"
import { shopify } from "./shopify.ts"
import { stripe } from "./stripe.ts"
import { twitter } from "./twitter.ts"

export const dialects: readonly Dialect[] = [anthropic, openai, shopify, stripe, discord, ietf, github, twitter, olderDrafts]
