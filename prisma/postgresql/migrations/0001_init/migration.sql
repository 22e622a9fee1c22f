-- CreateTable
CREATE TABLE "JmapUser" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "created" BIGINT NOT NULL,

    CONSTRAINT "JmapUser_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "JmapAccount" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "ownerId" TEXT COLLATE "C" NOT NULL,
    "capabilities" JSONB,
    "created" BIGINT NOT NULL,

    CONSTRAINT "JmapAccount_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "JmapAccess" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "readOnly" BOOLEAN NOT NULL,

    CONSTRAINT "JmapAccess_pkey" PRIMARY KEY ("accountId","userId")
);

-- CreateTable
CREATE TABLE "JmapToken" (
    "id" TEXT COLLATE "C" NOT NULL,
    "secretHash" BYTEA NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "readOnly" BOOLEAN NOT NULL,
    "scoped" BOOLEAN NOT NULL,
    "expires" BIGINT,
    "created" BIGINT NOT NULL,

    CONSTRAINT "JmapToken_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "JmapTokenAccount" (
    "tokenId" TEXT COLLATE "C" NOT NULL,
    "accountId" TEXT COLLATE "C" NOT NULL,
    "readOnly" BOOLEAN NOT NULL,

    CONSTRAINT "JmapTokenAccount_pkey" PRIMARY KEY ("tokenId","accountId")
);

-- CreateTable
CREATE TABLE "JmapMeta" (
    "key" TEXT COLLATE "C" NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "JmapMeta_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "JmapState" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "number" BIGINT NOT NULL,

    CONSTRAINT "JmapState_pkey" PRIMARY KEY ("accountId","type")
);

-- CreateTable
CREATE TABLE "JmapChange" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "number" BIGINT NOT NULL,
    "objectId" TEXT COLLATE "C" NOT NULL,
    "kind" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,

    CONSTRAINT "JmapChange_pkey" PRIMARY KEY ("accountId","type","number")
);

-- CreateTable
CREATE TABLE "JmapBlob" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "size" BIGINT NOT NULL,
    "uploaderId" TEXT COLLATE "C" NOT NULL,
    "created" BIGINT NOT NULL,
    "unreferencedSince" BIGINT,

    CONSTRAINT "JmapBlob_pkey" PRIMARY KEY ("accountId","id")
);

-- CreateTable
CREATE TABLE "JmapBlobReference" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "blobId" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "objectId" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "JmapBlobReference_pkey" PRIMARY KEY ("accountId","blobId","type","objectId")
);

-- CreateTable
CREATE TABLE "Note" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "created" BIGINT NOT NULL,
    "updated" BIGINT NOT NULL,
    "title" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "body" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "title_folded" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "body_folded" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "title_casemap" TEXT COLLATE "C" NOT NULL DEFAULT '',

    CONSTRAINT "Note_pkey" PRIMARY KEY ("accountId","id")
);

-- CreateTable
CREATE TABLE "Todo" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "created" BIGINT NOT NULL,
    "updated" BIGINT NOT NULL,
    "text" TEXT COLLATE "C" NOT NULL,
    "done" BOOLEAN NOT NULL DEFAULT false,
    "text_folded" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "text_casemap" TEXT COLLATE "C" NOT NULL DEFAULT '',

    CONSTRAINT "Todo_pkey" PRIMARY KEY ("accountId","id")
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
