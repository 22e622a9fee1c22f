-- CreateTable
CREATE TABLE "JmapUser" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "created" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "JmapAccount" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "ownerId" TEXT NOT NULL,
    "capabilities" JSONB,
    "created" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "JmapAccess" (
    "accountId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "readOnly" BOOLEAN NOT NULL,

    PRIMARY KEY ("accountId", "userId")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "JmapToken" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "secretHash" BLOB NOT NULL,
    "userId" TEXT NOT NULL,
    "readOnly" BOOLEAN NOT NULL,
    "scoped" BOOLEAN NOT NULL,
    "expires" BIGINT,
    "created" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "JmapTokenAccount" (
    "tokenId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "readOnly" BOOLEAN NOT NULL,

    PRIMARY KEY ("tokenId", "accountId")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "JmapMeta" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "JmapState" (
    "accountId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "number" BIGINT NOT NULL,

    PRIMARY KEY ("accountId", "type")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "JmapChange" (
    "accountId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "objectId" TEXT NOT NULL,
    "kind" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,

    PRIMARY KEY ("accountId", "type", "number")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "JmapBlob" (
    "accountId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "uploaderId" TEXT NOT NULL,
    "created" BIGINT NOT NULL,
    "unreferencedSince" BIGINT,

    PRIMARY KEY ("accountId", "id")
);

-- CreateTable
CREATE TABLE "JmapBlobReference" (
    "accountId" TEXT NOT NULL,
    "blobId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "objectId" TEXT NOT NULL,

    PRIMARY KEY ("accountId", "blobId", "type", "objectId")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "Note" (
    "accountId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "created" BIGINT NOT NULL,
    "updated" BIGINT NOT NULL,
    "title" TEXT NOT NULL DEFAULT '',
    "body" TEXT NOT NULL DEFAULT '',
    "title_folded" TEXT NOT NULL DEFAULT '',
    "body_folded" TEXT NOT NULL DEFAULT '',
    "title_casemap" TEXT NOT NULL DEFAULT '',

    PRIMARY KEY ("accountId", "id")
);

-- CreateTable
CREATE TABLE "Todo" (
    "accountId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "created" BIGINT NOT NULL,
    "updated" BIGINT NOT NULL,
    "text" TEXT NOT NULL,
    "done" BOOLEAN NOT NULL DEFAULT false,
    "text_folded" TEXT NOT NULL DEFAULT '',
    "text_casemap" TEXT NOT NULL DEFAULT '',

    PRIMARY KEY ("accountId", "id")
);

-- CreateIndex
CREATE UNIQUE INDEX "JmapUser_name_key" ON "JmapUser"("name");

-- CreateIndex
CREATE INDEX "JmapAccess_userId_idx" ON "JmapAccess"("userId");

-- CreateIndex
CREATE INDEX "JmapToken_userId_idx" ON "JmapToken"("userId");

-- CreateIndex
CREATE INDEX "JmapTokenAccount_accountId_idx" ON "JmapTokenAccount"("accountId");

-- CreateIndex
CREATE INDEX "JmapBlob_unreferencedSince_idx" ON "JmapBlob"("unreferencedSince");

-- CreateIndex
CREATE INDEX "JmapBlobReference_accountId_type_objectId_idx" ON "JmapBlobReference"("accountId", "type", "objectId");
