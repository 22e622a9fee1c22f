-- CreateTable
CREATE TABLE "JmapPushSubscription" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tokenId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "deviceClientId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "p256dh" TEXT,
    "auth" TEXT,
    "types" JSONB,
    "expires" BIGINT NOT NULL,
    "created" BIGINT NOT NULL,
    "code" TEXT NOT NULL,
    "verified" BIGINT,
    "verificationSent" BIGINT,
    "wrongCodes" BIGINT NOT NULL,
    "wrongSince" BIGINT,
    "vapidKey" TEXT,
    "shard" INTEGER NOT NULL,
    "told" TEXT,
    "failures" BIGINT NOT NULL,
    "firstFailure" BIGINT,
    "notBefore" BIGINT,
    "lastSuccess" BIGINT,
    "lastFailure" BIGINT,
    "lastFailureReason" TEXT
);

-- CreateTable
CREATE TABLE "JmapVapidKey" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "private" TEXT NOT NULL,
    "public" TEXT NOT NULL,
    "created" BIGINT NOT NULL,
    "retires" BIGINT
);

-- CreateTable
CREATE TABLE "JmapPushCreation" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "userId" TEXT NOT NULL,
    "host" TEXT,
    "at" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "JmapPushSubscription_tokenId_idx" ON "JmapPushSubscription"("tokenId");

-- CreateIndex
CREATE INDEX "JmapPushSubscription_userId_idx" ON "JmapPushSubscription"("userId");

-- CreateIndex
CREATE INDEX "JmapPushSubscription_shard_idx" ON "JmapPushSubscription"("shard");

-- CreateIndex
CREATE INDEX "JmapPushSubscription_expires_idx" ON "JmapPushSubscription"("expires");

-- CreateIndex
CREATE INDEX "JmapPushCreation_userId_at_idx" ON "JmapPushCreation"("userId", "at");

-- CreateIndex
CREATE INDEX "JmapPushCreation_host_at_idx" ON "JmapPushCreation"("host", "at");

-- CreateIndex
CREATE INDEX "JmapPushCreation_at_idx" ON "JmapPushCreation"("at");
